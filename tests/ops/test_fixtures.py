"""Every operator case recorded from the real MXNet, run on ours."""

from typing import Any

import numpy as np
import pytest

from tests.ops.base import FIXTURES, Fixture, check_fixture, load_family, load_fixtures, to_strided_array
from tools.oracle import case as cases


@pytest.mark.parametrize("fixture", [pytest.param(fixture, id=fixture.id) for fixture in load_fixtures()])
@pytest.mark.sample(one_in=4, group=r"[^-]+$")
def test_like_mxnet(fixture: Fixture) -> None:
    check_fixture(fixture)


@pytest.mark.parametrize("family", cases.family_names())
def test_recorded_from_the_present_case_file(family: str) -> None:
    """Fails when a case file was changed without recording it again."""
    fixtures, described = load_family(family), cases.load_family(family)
    assert [fixture.facts["index"] for fixture in fixtures] == list(range(len(described))), "record the family again"
    for fixture, case in zip(fixtures, described, strict=True):
        assert (fixture.facts["op"], fixture.params) == (case.op, case.params), fixture.id
        assert fixture.facts["train"] == case.train, fixture.id
        assert _options(fixture) == (case.tolerance, case.out, case.strided, case.infer), fixture.id
        assert not set(fixture.facts["grads"]) & set(case.no_grad), fixture.id
        assert ("error" in fixture.facts) == case.error, fixture.id
        for recorded, drawn in zip(fixture.inputs, case.arrays(), strict=True):
            # Last digits may differ: elementary functions are not the same in every NumPy.
            np.testing.assert_allclose(recorded, drawn, rtol=1e-3, atol=1e-6, err_msg=fixture.id)


def _options(fixture: Fixture) -> tuple[Any, ...]:
    tolerance = fixture.facts.get("tolerance")
    flags = (fixture.facts.get(name, True) for name in ("out", "strided", "infer"))
    return (tuple(tolerance) if tolerance else None, *flags)


def test_no_fixtures_without_case_file() -> None:
    assert {path.stem for path in FIXTURES.iterdir()} <= set(cases.family_names())


def test_strided_inputs_have_gaps() -> None:
    """Guards the test base: were the slice a copy, the strided check would prove nothing."""
    array = to_strided_array(np.arange(6, dtype="float32").reshape(2, 3))
    assert not array.as_torch().is_contiguous()
