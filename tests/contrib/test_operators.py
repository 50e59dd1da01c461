"""Contributed operators under the paths of older programs: `mx.contrib.nd` and `mx.contrib.sym`."""

import mxnet as mx
from mxnet.contrib.ndarray import box_iou
from mxnet.contrib.symbol import DeformableConvolution


def test_the_modules_have_both_names():
    assert mx.contrib.nd is mx.contrib.ndarray
    assert mx.contrib.sym is mx.contrib.symbol


def test_operators_are_those_of_the_main_namespaces():
    assert box_iou is mx.nd.contrib.box_iou
    assert DeformableConvolution is mx.sym.contrib.DeformableConvolution
    assert mx.contrib.nd.quadratic(mx.nd.array([2.0]), a=1, b=2, c=3).asnumpy().tolist() == [11]
    assert mx.contrib.sym.quadratic(mx.sym.var("x"), a=1, name="q").list_arguments() == ["x"]
