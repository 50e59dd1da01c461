"""Records small `.params` files with a real MXNet 1.9.1, and what MXNet says is in them.

Run with a Python that has mxnet==1.9.1, from the root of the repository:

    python tools/oracle/record_files.py tests/fixtures/files

`index.json` names, for each file, the call that made it and the arrays MXNet loads from it. Files of versions this
MXNet no longer writes are made here byte by byte, and recorded only because it loads them.
"""

import ctypes
import json
import os
import struct
import sys

import numpy as np

import mxnet as mx
from mxnet import nd

SPARSE = mx.nd.sparse
BFLOAT16 = np.dtype([("bfloat16", np.uint16)])

# File name: the expression whose value is saved with nd.save, and whether NumPy shape semantics are on.
SAVED = {
    "list": ("[nd.array([[1, 2, 3], [4, 5, 6]]), nd.array([-1.5])]", False),
    "dict": ("{'weight': nd.array([[1, 2], [3, 4]]), 'bias': nd.array([0.25, float('nan'), float('-inf')])}", False),
    "checkpoint": ("{'arg:fc_weight': nd.ones((2, 3)), 'aux:bn_mean': nd.zeros((3,))}", False),
    "single": ("nd.arange(5)", False),
    "empty_list": ("[]", False),
    "empty_dict": ("{}", False),
    "utf8_names": ("{'gewicht_\u00e4': nd.array([1]), '\u6743\u91cd': nd.array([2]), '': nd.array([3])}", False),
    "float16": ("[nd.array([1.5, -2, 65504], dtype='float16')]", False),
    "float64": ("[nd.array([1e300, -2.5], dtype='float64')]", False),
    "uint8": ("[nd.array([0, 7, 255], dtype='uint8')]", False),
    "int8": ("[nd.array([-128, 0, 127], dtype='int8')]", False),
    "int32": ("[nd.array([-2**31, 2**31 - 1], dtype='int32')]", False),
    "int64": ("[nd.array([-2**63, 2**63 - 1], dtype='int64')]", False),
    "bool": ("[nd.array([True, False, True], dtype='bool')]", False),
    "bfloat16": ("[nd.array([1, -2, 3.5]).astype(BFLOAT16)]", False),
    "mixed_dtypes": (
        "{'odd': nd.array([1, 2, 3], dtype='uint8'), 'wide': nd.array([[1], [2]], dtype='float64'),"
        " 'whole': nd.array([9], dtype='int64')}",
        False,
    ),
    "five_axes": ("[nd.arange(24).reshape((1, 2, 3, 2, 2))]", False),
    "zero_size": ("[nd.array(np.zeros((0, 3))), nd.array([1])]", False),
    "second_cpu": ("[nd.array([1, 2], ctx=mx.cpu(1))]", False),
    "np_list": ("[nd.array([1, 2]), nd.zeros(()), nd.zeros((0, 3)), nd.ones((2, 0), dtype='int32')]", True),
    "np_dict": ("{'a': nd.ones(()), 'b': nd.array([[1, 2]], dtype='int64')}", True),
    "csr": ("[SPARSE.csr_matrix(([1, 2, 3], [0, 2, 1], [0, 1, 1, 3]), shape=(3, 4))]", False),
    "csr_float64": ("[SPARSE.csr_matrix(([1, 2], [3, 0], [0, 1, 2]), shape=(2, 4), dtype='float64')]", False),
    "csr_zeros": ("[SPARSE.zeros('csr', (4, 2))]", False),
    "row_sparse": ("[SPARSE.row_sparse_array(([[1, 2], [3, 4]], [0, 2]), shape=(4, 2))]", False),
    "row_sparse_cube": ("[SPARSE.row_sparse_array(([[[1, 2]], [[3, 4]]], [1, 3]), shape=(5, 1, 2))]", False),
    "row_sparse_zeros": ("[SPARSE.zeros('row_sparse', (4, 2))]", False),
    "sparse_dict": (
        "{'dense': nd.array([1, 2]), 'rows': SPARSE.row_sparse_array(([[5, 6]], [1]), shape=(3, 2)),"
        " 'cells': SPARSE.csr_matrix(([7], [1], [0, 0, 1]), shape=(2, 2))}",
        False,
    ),
}

# File name: the expression of a list that MXNet saves and cannot load again.
LOST = {"scalars": "[nd.array(1.5), nd.array([2, 3]), nd.array(-4, dtype='int64')]"}

# File name: the expression whose pickle state (one array without the list around it) is kept.
PICKLED = {
    "handle_dense": "nd.array([[1, 2], [3, 4]])",
    "handle_int64": "nd.array([5], dtype='int64')",
    "handle_csr": "SPARSE.csr_matrix(([1, 2, 3], [0, 2, 1], [0, 1, 1, 3]), shape=(3, 4))",
}

V1, V2, V3 = (struct.pack("<I", 0xF993FAC8 + number) for number in range(3))


def whole(*numbers):
    return struct.pack(f"<{len(numbers)}i", *numbers)


def longs(*numbers):
    return struct.pack(f"<{len(numbers)}q", *numbers)


def floats(*numbers):
    return struct.pack(f"<{len(numbers)}f", *numbers)


CPU_FLOAT32 = whole(1, 0, 0)
SIX = floats(0, 1, 2, 3, 4, 5)
DENSE_V2 = V2 + whole(0, 1) + longs(2) + CPU_FLOAT32 + floats(8, 9)

# File name: what it is, its arrays as bytes, its names, whether NumPy shape semantics are on.
BY_HAND = {
    "legacy_v0": (
        "version 0: 32-bit lengths and no mark",
        [whole(2, 2, 3) + CPU_FLOAT32 + SIX, whole(1, 1) + whole(1, 0, 3) + b"\x07"],
        ["w", "b"],
        False,
    ),
    "legacy_v0_zero_size": ("version 0 of shape (0, 3)", [whole(2, 0, 3) + CPU_FLOAT32], [], False),
    "legacy_v1": ("version 1: 64-bit lengths", [V1 + whole(2) + longs(3, 2) + CPU_FLOAT32 + SIX], ["w"], False),
    "legacy_mixed": (
        "versions 0, 1 and 2 in one file",
        [whole(1, 1) + CPU_FLOAT32 + floats(1), V1 + whole(1) + longs(1) + CPU_FLOAT32 + floats(2), DENSE_V2],
        [],
        False,
    ),
    "from_gpu": ("saved from gpu(3)", [V2 + whole(0, 1) + longs(1) + whole(2, 3, 0) + floats(4)], ["w"], False),
    "none": ("the place of an array that was never made, then an array", [V2 + whole(0, 0), DENSE_V2], [], False),
    "np_none": ("the same with NumPy shape semantics", [V3 + whole(0, 1) + longs(-1)], [], True),
    "duplicate_names": ("two arrays of one name", [DENSE_V2, DENSE_V2], ["w", "w"], False),
}


def file_bytes(arrays, names):
    parts = [struct.pack("<QQQ", 0x112, 0, len(arrays)), *arrays, struct.pack("<Q", len(names))]
    for name in names:
        parts.append(struct.pack("<Q", len(name.encode())) + name.encode())
    return b"".join(parts)


def listed(array):
    """Values for JSON: bfloat16 as its bits, the rest as numbers."""
    values = array.asnumpy()
    return (values["bfloat16"] if values.dtype == BFLOAT16 else values).ravel().tolist()


def describe(array):
    """What MXNet says about an array it loaded."""
    dtype = "bfloat16" if array.dtype == BFLOAT16 else np.dtype(array.dtype).name
    entry = {"stype": array.stype, "dtype": dtype, "shape": list(array.shape)}
    if array.stype == "default":
        return {**entry, "values": listed(array)}
    aux = [array.indices] if array.stype == "row_sparse" else [array.indptr, array.indices]
    return {**entry, "values": listed(array.data), "aux": [listed(index) for index in aux]}


def load(path):
    """What MXNet loads; the place of an array that was never made is null, for Python cannot hold one."""
    size, num_names = mx.base.mx_uint(), mx.base.mx_uint()
    handles = ctypes.POINTER(mx.base.NDArrayHandle)()
    names = ctypes.POINTER(ctypes.c_char_p)()
    mx.base.check_call(
        mx.base._LIB.MXNDArrayLoad(
            mx.base.c_str(path), ctypes.byref(size), ctypes.byref(handles), ctypes.byref(num_names), ctypes.byref(names)
        )
    )
    arrays = []
    for number in range(size.value):
        handle = mx.base.NDArrayHandle(handles[number])
        stype = mx.nd.ndarray._storage_type(handle)
        arrays.append(None if stype == -1 else describe(SPARSE._ndarray_cls(handle)))
    return arrays, [names[number].decode() for number in range(num_names.value)]


def record(folder, name, made_by, origin, np_shape):
    arrays, names = load(os.path.join(folder, name))
    return {"origin": origin, "made_by": made_by, "np_shape": np_shape, "names": names, "arrays": arrays}


def main(folder):
    os.makedirs(folder, exist_ok=True)
    index = {}
    for stem, (expression, np_shape) in SAVED.items():
        name = f"{stem}.params"
        with mx.util.np_shape(np_shape):
            data = eval(expression)
            nd.waitall()
            nd.save(os.path.join(folder, name), data)
            index[name] = record(folder, name, f"nd.save({expression})", "saved", np_shape)
    for stem, expression in LOST.items():
        name = f"{stem}.params"
        arrays = eval(expression)
        nd.save(os.path.join(folder, name), arrays)
        with mx.util.np_shape(True):
            entries = [describe(array) for array in arrays]
        made_by = f"nd.save({expression})"
        index[name] = {"origin": "lost", "made_by": made_by, "np_shape": False, "names": [], "arrays": entries}
    for stem, expression in PICKLED.items():
        name = f"{stem}.bin"
        array = eval(expression)
        with open(os.path.join(folder, name), "wb") as stream:
            stream.write(array.__getstate__()["handle"])
        made_by = f"{expression}.__getstate__()['handle']"
        index[name] = {"origin": "pickled", "made_by": made_by, "np_shape": False, "arrays": [describe(array)]}
    for stem, (what, arrays, names, np_shape) in BY_HAND.items():
        name = f"{stem}.params"
        with open(os.path.join(folder, name), "wb") as stream:
            stream.write(file_bytes(arrays, names))
        with mx.util.np_shape(np_shape):
            index[name] = record(folder, name, f"by hand: {what}", "by hand", np_shape)
    with open(os.path.join(folder, "index.json"), "w", encoding="utf-8") as stream:
        # One line a file: short, and a change shows which file it concerns.
        lines = (f"{json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}" for name, entry in index.items())
        stream.write(f'{{"mxnet": "{mx.__version__}", "files": {{\n' + ",\n".join(lines) + "\n}}\n")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.join("tests", "fixtures", "files"))
