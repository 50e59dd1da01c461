"""Short programs on `mx.np` arrays give what a real MXNet gave."""

from typing import Any

import pytest

from tests.expected import Difference
from tests.expressions import cases, check
from tests.numpy.differences import DIFFERENCES


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("topic", "row", "difference"), cases(lambda topic: topic.startswith("np"), DIFFERENCES))
@pytest.mark.sample(one_in=4, group=r"\w+")
def test_expression(topic: str, row: dict[str, Any], difference: Difference | None) -> None:
    check(topic, row, difference)
