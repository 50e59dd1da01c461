import copy

import numpy as np
import pytest

from mxnet import nd
from mxnet.io import DataBatch, DataDesc


def test_a_description_is_a_name_and_a_shape():
    desc = DataDesc("data", (2, 3))
    assert repr(desc) == "DataDesc[data,(2, 3),<class 'numpy.float32'>,NCHW]"
    assert desc == ("data", (2, 3))
    name, shape = desc
    assert (name, shape, desc.name, desc[1]) == ("data", (2, 3), "data", (2, 3))
    twin = copy.copy(DataDesc("x", (1,), np.int32, "TNC"))
    assert (twin.dtype, twin.layout) == (np.int32, "TNC")


def test_axes_and_lists():
    assert DataDesc.get_batch_axis("TNC") == 1
    assert DataDesc.get_batch_axis("HW") == -1
    assert DataDesc.get_batch_axis(None) == 0
    assert DataDesc.get_list([("a", (1,))], [("a", np.int32)])[0].dtype == np.int32
    assert DataDesc.get_list([("a", (1,))], None) == [("a", (1,))]


def test_batches_show_their_shapes():
    batch = DataBatch([nd.ones((2, 3))], [nd.ones((2,))], pad=1, index=[1], bucket_key=7)
    assert str(batch) == "DataBatch: data shapes: [(2, 3)] label shapes: [(2,)]"
    assert (batch.pad, batch.index, batch.bucket_key) == (1, [1], 7)
    assert str(DataBatch([nd.ones((2, 3))])) == "DataBatch: data shapes: [(2, 3)] label shapes: None"
    assert str(DataBatch(None)) == "DataBatch: data shapes: None label shapes: None"


@pytest.mark.parametrize("arguments", [{"data": nd.ones((2,))}, {"data": [], "label": nd.ones((2,))}])
def test_single_arrays_are_refused(arguments):
    with pytest.raises(TypeError, match=r"received NDArray; expected a list of arrays: `(data|label)=\[array\]`"):
        DataBatch(**arguments)
