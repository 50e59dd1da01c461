"""Drawing numbers on a GPU."""

from collections.abc import Callable
from typing import Any

import pytest

import mxnet as mx
from tests.gpu.devices import Watch

_GPU = mx.gpu(0)


def _ones(*shape: int) -> Any:
    return mx.nd.ones(shape)


_CALLS: dict[str, Callable[[], Any]] = {
    "uniform": lambda: mx.nd.random.uniform(shape=(2, 3)),
    "normal": lambda: mx.nd.random.normal(shape=(2, 3)),
    "gamma": lambda: mx.nd.random.gamma(shape=(2, 3)),
    "exponential": lambda: mx.nd.random.exponential(shape=(2, 3)),
    "poisson": lambda: mx.nd.random.poisson(shape=(2, 3)),
    "negative_binomial": lambda: mx.nd.random.negative_binomial(shape=(2, 3)),
    "generalized_negative_binomial": lambda: mx.nd.random.generalized_negative_binomial(shape=(2, 3)),
    "randint": lambda: mx.nd.random.randint(0, 5, shape=(2, 3)),
    "uniform_like": lambda: mx.nd.random.uniform_like(_ones(2, 3)),
    "normal_like": lambda: mx.nd.random.normal_like(_ones(2, 3)),
    "gamma_like": lambda: mx.nd.random.gamma_like(_ones(2, 3)),
    "exponential_like": lambda: mx.nd.random.exponential_like(_ones(2, 3)),
    "poisson_like": lambda: mx.nd.random.poisson_like(_ones(2, 3)),
    "sample_uniform": lambda: mx.nd.sample_uniform(_ones(2), _ones(2) * 2, shape=3),
    "sample_normal": lambda: mx.nd.sample_normal(_ones(2), _ones(2), shape=3),
    "sample_gamma": lambda: mx.nd.sample_gamma(_ones(2), _ones(2), shape=3),
    "sample_exponential": lambda: mx.nd.sample_exponential(_ones(2), shape=3),
    "sample_poisson": lambda: mx.nd.sample_poisson(_ones(2), shape=3),
    "sample_negative_binomial": lambda: mx.nd.sample_negative_binomial(_ones(2) * 3, _ones(2) / 2, shape=3),
    "sample_multinomial": lambda: mx.nd.sample_multinomial(_ones(2, 4) / 4, shape=3, get_prob=True),
    "shuffle": lambda: mx.nd.random.shuffle(_ones(5, 2)),
    "dropout": lambda: mx.nd.Dropout(_ones(4, 4), p=0.5, mode="always"),
    "rrelu": lambda: mx.nd.LeakyReLU(-_ones(4, 4), act_type="rrelu"),
    "random_brightness": lambda: mx.nd.image.random_brightness(_ones(4, 4, 3), 0.5, 1.5),
    "random_contrast": lambda: mx.nd.image.random_contrast(_ones(4, 4, 3), 0.5, 1.5),
    "random_saturation": lambda: mx.nd.image.random_saturation(_ones(4, 4, 3), 0.5, 1.5),
    "random_hue": lambda: mx.nd.image.random_hue(_ones(4, 4, 3), 0.5, 1.5),
    "random_flip_left_right": lambda: mx.nd.image.random_flip_left_right(_ones(4, 4, 3)),
    "random_flip_top_bottom": lambda: mx.nd.image.random_flip_top_bottom(_ones(4, 4, 3)),
    "random_lighting": lambda: mx.nd.image.random_lighting(_ones(4, 4, 3)),
    "np.uniform": lambda: mx.np.random.uniform(0, 1, size=(2, 3)),
    "np.normal": lambda: mx.np.random.normal(0, 1, size=(2, 3)),
    "np.gamma": lambda: mx.np.random.gamma(2, 1, size=(2, 3)),
    "np.exponential": lambda: mx.np.random.exponential(2, size=(2, 3)),
    "np.gumbel": lambda: mx.np.random.gumbel(0, 1, size=(2, 3)),
    "np.logistic": lambda: mx.np.random.logistic(0, 1, size=(2, 3)),
    "np.rayleigh": lambda: mx.np.random.rayleigh(2, size=(2, 3)),
    "np.weibull": lambda: mx.np.random.weibull(2, size=(2, 3)),
    "np.pareto": lambda: mx.np.random.pareto(2, size=(2, 3)),
    "np.power": lambda: mx.np.random.power(2, size=(2, 3)),
    "np.randint": lambda: mx.np.random.randint(0, 5, size=(2, 3)),
    "np.choice": lambda: mx.np.random.choice(5, size=(3,)),
    "np.bernoulli": lambda: mx.npx.random.bernoulli(0.3, size=(2, 3)),
    "np.uniform of an array": lambda: mx.np.random.uniform(mx.np.zeros(3), 1),
    "np.normal of an array": lambda: mx.np.random.normal(mx.np.zeros(3), 1),
}
# These decide in Python, by a number that they draw on the device or an array they are given.
_READ = {
    "color_jitter": lambda: mx.nd.image.random_color_jitter(_ones(4, 4, 3), 0.2, 0.2, 0.2, 0.2),
    "np.multinomial": lambda: mx.np.random.multinomial(5, mx.np.array([0.5, 0.5]), size=(3,)),
}


def _drawn(call: Callable[[], Any]) -> list[Any]:
    results = call()
    return list(results) if isinstance(results, (list, tuple)) else [results]


@pytest.mark.parametrize("name", _CALLS)
def test_drawn_there(name: str, gpus: Watch) -> None:
    with _GPU:
        results = _drawn(_CALLS[name])
    for result in results:
        assert result.context == _GPU
        assert result._t.device == _GPU.device
    assert not gpus.reads, f"{name} waits for the device"


@pytest.mark.parametrize("name", _READ)
def test_decided_on_the_host(name: str, gpus: Watch) -> None:
    with _GPU:
        (result,) = _drawn(_READ[name])
    assert result._t.device == _GPU.device


def test_seeds(two_gpus: Watch) -> None:
    def draw(ctx: Any) -> list[float]:
        return mx.nd.random.uniform(shape=(4,), ctx=ctx).asnumpy().tolist()

    mx.random.seed(3)
    first = [draw(mx.gpu(0)), draw(mx.gpu(1))]
    mx.random.seed(3)
    assert [draw(mx.gpu(0)), draw(mx.gpu(1))] == first
    assert first[0] != first[1]
    mx.random.seed(5, ctx=mx.gpu(1))
    again = draw(mx.gpu(1))
    mx.random.seed(5, ctx=mx.gpu(1))
    assert draw(mx.gpu(1)) == again
