"""The table of distributions: each has all forms of operators, with its parameters; densities agree with their logs."""

import pytest
import torch

from regluon.ops.random.distributions import DISTRIBUTIONS, Distribution
from regluon.ops.registry import find


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=lambda each: each.name)
def test_forms(distribution: Distribution):
    names = [each.name for each in distribution.numbers]
    random, like, sample, density = (
        find(f"_{form.format(distribution.name)}")
        for form in ("random_{}", "random_{}_like", "sample_{}", "random_pdf_{}")
    )
    assert (random.inputs, list(random.params)) == ((), [*names, "shape", "ctx", "dtype"])
    assert (like.inputs, list(like.params)) == (("data",), names)
    assert (sample.inputs, list(sample.params)) == (distribution.arrays, ["shape", "dtype"])
    assert (density.inputs, list(density.params)) == (("sample", *distribution.arrays), ["is_log"])
    assert all(each.needs_rng for each in (random, like, sample))
    assert not density.needs_rng
    for operator, words in ((random, names), (like, names), (sample, distribution.arrays)):
        assert all(word in operator.doc for word in words)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=lambda each: each.name)
def test_densities_agree_with_their_logarithms(distribution: Distribution):
    values = [torch.tensor([1.0, 2.0], dtype=torch.float64)]
    values += [torch.tensor([0.3 + i, 0.5 + i], dtype=torch.float64) for i in range(len(distribution.arrays))]
    if distribution.name == "negative_binomial":
        values[2] -= 1  # a probability
    torch.testing.assert_close(distribution.density(*values), torch.exp(distribution.log_density(*values)))
