"""Arrays that are made by copying are C-contiguous, whatever the source looks like; shared memory stays as it is."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet import nd

_MATRIX = np.arange(24, dtype=np.float32).reshape(6, 4)
_IMAGES = np.arange(120, dtype=np.float32).reshape(2, 3, 4, 5)


def _shared(values: np.ndarray) -> nd.NDArray:
    """An array over memory with strides of its own."""
    backwards = torch.tensor(values.T.copy()).permute(*reversed(range(values.ndim)))
    return nd.from_dlpack(torch.utils.dlpack.to_dlpack(backwards))


_SOURCES = {
    "transposed": _MATRIX.T,
    "fortran": np.asfortranarray(_IMAGES),
    "axes": _IMAGES.transpose(0, 2, 3, 1),
    "strided": _MATRIX[::2, ::3],
    "reversed": _MATRIX[::-1, ::-1],
    "broadcast": np.broadcast_to(_MATRIX[:1], (6, 4)),
    "double": _MATRIX.T.astype("float64"),
    "integers": _MATRIX.T.astype("int32"),
    "bytes": _MATRIX.T.astype("uint8"),
}


def _assigned(values: np.ndarray) -> nd.NDArray:
    array = nd.zeros(values.shape)
    array[:] = values
    return array


_MAKERS: dict[str, Callable[[np.ndarray], Any]] = {
    "nd.array": nd.array,
    "nd.array, dtype": lambda a: nd.array(a, dtype=a.dtype),
    "nd.array, float16": lambda a: nd.array(a, dtype="float16"),
    "np.array": mx.np.array,
    "from_numpy": lambda a: nd.from_numpy(a, zero_copy=False),
    "torch": lambda a: nd.array(torch.from_numpy(a.copy(order="F"))),
    "list": lambda a: nd.array(list(a)),
    "shared": lambda a: nd.array(_shared(a)),
    "copy": lambda a: _shared(a).copy(),
    "copyto": lambda a: _shared(a).copyto(mx.cpu(1)),
    "as_in_context": lambda a: _shared(a).as_in_context(mx.cpu(1)),
    "deepcopy": lambda a: copy.deepcopy(_shared(a)),
    "pickle": lambda a: pickle.loads(pickle.dumps(_shared(a))),  # noqa: S301
    "x[:]": lambda a: _shared(a)[:],
    "assignment": _assigned,
    "tostype": lambda a: _shared(a).tostype("row_sparse").tostype("default"),
}


@pytest.mark.parametrize("source", list(_SOURCES))
@pytest.mark.parametrize("maker", list(_MAKERS))
def test_copies(maker: str, source: str) -> None:
    values = _SOURCES[source]
    made = _MAKERS[maker](values)
    assert made._t.is_contiguous()
    np.testing.assert_array_equal(made.asnumpy(), values)
    assert made.asnumpy().flags.c_contiguous


def test_shared_memory_keeps_its_strides() -> None:
    tensor = torch.arange(6.0).reshape(2, 3)
    array = nd.from_dlpack(torch.utils.dlpack.to_dlpack(tensor.T))
    array[2, 0] = 9
    assert tensor[0, 2] == 9
    assert array.asnumpy().flags.c_contiguous
    np.testing.assert_array_equal(array.asnumpy(), tensor.numpy().T)


@pytest.mark.parametrize(
    "compute",
    [
        lambda x: nd.FullyConnected(x, nd.ones((3, 4)), nd.ones((3,)), num_hidden=3),
        nd.softmax,
        nd.relu,
        lambda x: nd.LayerNorm(x, nd.ones((4,)), nd.zeros((4,))),
        lambda x: nd.dot(x, x, transpose_b=True),
        lambda x: x + x,
        lambda x: x.reshape((4, 6)),
        lambda x: nd.LeakyReLU(x, act_type="gelu"),
    ],
)
def test_operators_on_strided_arrays(compute: Callable[[Any], Any]) -> None:
    np.testing.assert_allclose(compute(_shared(_MATRIX)).asnumpy(), compute(nd.array(_MATRIX)).asnumpy(), rtol=1e-6)
