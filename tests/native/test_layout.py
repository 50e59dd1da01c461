"""The order of images in memory, changed in C++."""

from typing import Any

import pytest
import torch

from regluon.kernels.layout import to_channels_first, to_channels_last

LAST = torch.channels_last
SHAPES = [
    *((2, 8, 3, 3), (1, 9, 3, 3), (5, 17, 1, 9), (2, 33, 5, 11), (3, 24, 4, 4), (64, 50, 4, 4), (2, 3, 20, 20)),
    (2, 20, 2, 3),  # fewer than eight places
    (3, 64, 32, 32),
    (2, 130, 32, 33),
]


@pytest.mark.parametrize("shape", SHAPES)
def test_the_other_order(native: Any, shape: tuple[int, ...]) -> None:
    first = torch.randn(shape)
    last = first.contiguous(memory_format=LAST)
    for found, expected in ((native.to_channels_last(first), last), (native.to_channels_first(last), first)):
        assert torch.equal(found, expected)
        assert found.stride() == expected.stride()


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_number_of_threads_does_not_matter(native: Any, threads: int) -> None:
    images, before = torch.randn(5, 40, 50, 50), torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        found = native.to_channels_last(images)
    finally:
        torch.set_num_threads(before)
    assert torch.equal(found, images)


def test_where_it_is_used(native: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for what it has no gradient of, nor for other numbers, nor for parts of images."""
    called = []

    class Counted:
        class to_channels_last:
            @staticmethod
            def default(images: torch.Tensor) -> torch.Tensor:
                called.append(images)
                return native.to_channels_last(images)  # type: ignore[no-any-return]

    monkeypatch.setattr("regluon.kernels.layout.kernels", lambda: Counted)
    images = torch.randn(2, 16, 4, 4)
    to_channels_last(images)
    assert len(called) == 1
    variable = images.clone().requires_grad_()
    to_channels_last(variable).sum().backward()
    assert torch.equal(variable.grad, torch.ones_like(images))  # type: ignore[arg-type]
    for other in (images.double(), images[:, ::2], images[:0]):
        assert to_channels_last(other).is_contiguous(memory_format=LAST)
    assert len(called) == 1


def test_bad_input(native: Any) -> None:
    images = torch.randn(2, 16, 4, 4)
    with pytest.raises(RuntimeError, match=r"shape \[2, 16, 4, 4\] and strides .*expected 4 dimensions, dense and in"):
        native.to_channels_first(images)
    with pytest.raises(RuntimeError, match="in the other order"):
        native.to_channels_last(images[:, ::2])


def test_an_order_that_is_both_stays(native: Any) -> None:
    images = torch.randn(2, 1, 4, 4)
    assert to_channels_first(to_channels_last(images)) is images
