import pytest

from mxnet import profiler
from mxnet.base import MXNetError
from mxnet.profiler._settings import Settings, from_environment, parsed


def test_defaults_are_mxnets() -> None:
    found = parsed({})
    assert found == Settings()
    assert all(map(found.sees, ("symbolic", "imperative", "memory", "api")))
    assert found.filename == "profile.json"


def test_texts_and_numbers_stand_for_booleans() -> None:
    found = parsed({"profile_api": "False", "profile_memory": 0, "profile_symbolic": "true", "dump_period": "2"})
    assert (found.profile_api, found.profile_memory, found.profile_symbolic) == (False, False, True)
    assert found.dump_period == 2.0
    assert parsed({"profile_all": True, "profile_api": False}).sees("api")


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"profile_al": True}, r"set_config: received profile_al=True; expected some of .*Did you mean profile_all\?"),
        ({"profile_api": "maybe"}, "profile_api: received 'maybe'; expected True or False"),
        ({"dump_period": 0}, "dump_period: received 0; expected seconds, more than 0"),
        ({"dump_period": "soon"}, "dump_period: received 'soon'"),
        ({"profile_process": "server"}, "received 'server'; expected 'worker'. Stores have no processes"),
        ({"profile_process": "all"}, "received 'all'; expected 'worker'"),
    ],
)
def test_wrong_settings_are_refused(given: dict, text: str) -> None:
    with pytest.raises(MXNetError, match=text):
        profiler.set_config(**given)


def test_the_environment_chooses_the_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MXNET_PROFILER_MODE", raising=False)
    seen = [what for what in ("symbolic", "imperative", "memory", "api") if from_environment().sees(what)]
    assert seen == ["symbolic"]
    monkeypatch.setenv("MXNET_PROFILER_MODE", "1")
    assert all(map(from_environment().sees, ("symbolic", "imperative", "memory", "api")))
