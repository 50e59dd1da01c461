"""What the first call of a hybridized network must not load: torch's compiler takes longer than the call itself."""

import subprocess
import sys

_PROGRAM = """
import sys
import mxnet as mx
from mxnet import autograd, gluon
from mxnet.gluon import nn

class Excited(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.inner, self.outer = nn.Conv2D(2, 1), nn.Conv2D(8, 1)

    def hybrid_forward(self, F, x):
        share = self.inner(F.contrib.AdaptiveAvgPooling2D(x, output_size=1))
        return F.broadcast_mul(x, F.sigmoid(self.outer(share * F.sigmoid(share))))

class Choosing(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        values, places = F.topk(x, k=2, ret_typ="both", dtype="int32")
        marks = F.one_hot(F.argmax(x, axis=1), depth=3) + F.sort(x) / F.norm(x, axis=1, keepdims=True)
        found = F.gather_nd(x, F.stack(F.zeros_like(places), places * 1 + 0, axis=0))
        return F.tile(marks, reps=(1, 2)).sum() + values.sum() + found.sum() + F.arange(3).sum()

class Detecting(gluon.HybridBlock):
    def hybrid_forward(self, F, x, label):
        anchors = F.contrib.MultiBoxPrior(x, sizes=(0.5, 0.25), ratios=(1, 2))
        scores, shifts = F.zeros((1, 3, 192)), F.zeros((1, 192 * 4))
        target = F.contrib.MultiBoxTarget(anchors, label, scores)
        found = F.contrib.MultiBoxDetection(F.softmax(scores, axis=1), shifts, anchors)
        boxes = F.contrib.box_decode(F.zeros((1, 192, 4)), anchors, format="corner")
        return F.contrib.box_nms(found).sum() + boxes.sum() + target[0].sum() + F.SequenceLast(x).sum()

detecting = Detecting()
detecting.hybridize()
detecting(mx.nd.ones((1, 3, 8, 8)), mx.nd.array([[[0, 0.1, 0.1, 0.6, 0.6]]])).wait_to_read()
net = nn.HybridSequential()
net.add(nn.Conv2D(8, 3, padding=1, use_bias=False), nn.BatchNorm(), nn.Activation("relu"), Excited())
net.add(nn.Conv2D(8, 3, padding=1, groups=8), nn.BatchNorm(), nn.HybridLambda(lambda F, x: F.clip(x, 0, 6)))
net.add(nn.HybridLambda(lambda F, x: F.UpSampling(x, scale=2, sample_type="nearest")), nn.GroupNorm(2))
net.add(nn.HybridLambda(lambda F, x: F.contrib.BilinearResize2D(x, height=5, width=7)))
net.add(nn.HybridLambda(lambda F, x: F.pad(x, mode="constant", pad_width=(0, 0, 0, 0, 1, 1, 1, 1))))
net.add(nn.Conv2DTranspose(4, 3, strides=2), nn.AvgPool2D(), nn.GlobalAvgPool2D(), nn.Flatten())
net.add(nn.Dense(3), Choosing())
net.initialize()
net.hybridize()
x = mx.nd.ones((1, 3, 8, 8))
net(x).wait_to_read()
with autograd.record():
    loss = net(x).sum()
loss.backward()
mx.nd.waitall()
print([name for name in ("torch._dynamo", "torch.fx.experimental.symbolic_shapes", "sympy") if name in sys.modules])
"""


def test_loads_no_compiler() -> None:
    finished = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    assert finished.stdout.strip() == "[]"
