"""Networks for images: convolutions, pooling, normalization, and the ways to wire them."""

from __future__ import annotations

from typing import Any

import mxnet as mx
from mxnet import gluon
from mxnet.gluon import nn
from mxnet.gluon.model_zoo import vision
from tools.oracle.case import distinct, uniform
from tools.oracle.exports.network import block


def sequence(*layers: Any, prefix: str | None = None) -> Any:
    """Layers one after the other; each is a function, so that it is made inside the network's scope."""
    net = nn.HybridSequential(prefix=prefix)
    with net.name_scope():
        for layer in layers:
            net.add(layer())
    return net


def mlp() -> Any:
    return sequence(
        lambda: nn.Dense(16, activation="relu"),
        lambda: nn.Dropout(0.5),
        lambda: nn.Dense(8, activation="tanh", use_bias=False),
        lambda: nn.Dense(3),
    )


def mlp_without_flattening() -> Any:
    return sequence(lambda: nn.Dense(4, flatten=False, activation="sigmoid"), lambda: nn.Dense(2, flatten=False))


def lenet() -> Any:
    return sequence(
        lambda: nn.Conv2D(4, 3, activation="relu"),
        lambda: nn.MaxPool2D(2, 2),
        lambda: nn.Conv2D(6, kernel_size=3, activation="tanh"),
        lambda: nn.MaxPool2D(pool_size=2, strides=2),
        nn.Flatten,
        lambda: nn.Dense(10, activation="relu"),
        lambda: nn.Dense(5),
        prefix="lenet_",
    )


def inner_results() -> Any:
    """Some results inside a network, as a network of their own that shares its parameters."""
    whole, data = lenet(), mx.sym.var("data")
    whole.initialize()
    whole(mx.nd.zeros((1, 1, 14, 14)))
    inside = whole(data).get_internals()
    results = [inside["lenet_pool0_fwd_output"], inside["lenet_dense0_fwd_output"]]
    return gluon.SymbolBlock(results, data, params=whole.collect_params())


def normalized() -> Any:
    return sequence(
        lambda: nn.Conv2D(4, (3, 2), strides=(2, 1), padding=(1, 0), use_bias=False),
        nn.BatchNorm,
        lambda: nn.Activation("relu"),
        lambda: nn.Conv2D(4, 3, dilation=2, groups=2),
        lambda: nn.BatchNorm(scale=False, center=False, epsilon=1e-3, momentum=0.8),
        lambda: nn.BatchNorm(axis=2, use_global_stats=True),
        nn.GlobalAvgPool2D,
    )


def half() -> Any:
    """Layers that a real MXNet computes in half precision without a GPU."""
    return sequence(
        nn.BatchNorm,
        lambda: nn.MaxPool2D(2, 1),
        nn.PReLU,
        nn.LayerNorm,
        lambda: nn.HybridLambda("softmax"),
    )


def convolutions_1d_3d() -> Any:
    return sequence(
        lambda: nn.Conv1D(4, 3, padding=1, activation="softsign"),
        lambda: nn.MaxPool1D(2),
        Volume,
        lambda: nn.Conv3D(2, (1, 2, 3)),
        lambda: nn.AvgPool3D((1, 1, 2)),
        nn.Flatten,
    )


class Volume(nn.HybridBlock):
    """Sees a row of vectors as a volume."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.reshape(x, shape=(0, 1, 2, 2, -1))


class Pools(nn.HybridBlock):
    """Every kind of pooling, side by side."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.pools = nn.HybridSequential(prefix="")
            self.pools.add(
                nn.MaxPool2D(3, 2),
                nn.MaxPool2D(3, 2, padding=1, ceil_mode=True),
                nn.AvgPool2D(3, 2),
                nn.AvgPool2D((3, 2), (2, 3), padding=(1, 0), ceil_mode=True),
                nn.AvgPool2D(3, 2, padding=1, count_include_pad=False),
                nn.GlobalMaxPool2D(),
                nn.GlobalAvgPool2D(),
            )

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        pooled = [pool(x) for pool in self.pools]
        pooled.append(F.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type="sum"))
        pooled.append(F.Pooling(x, kernel=(3, 3), stride=(2, 2), pool_type="lp", p_value=2))
        pooled.append(F.contrib.AdaptiveAvgPooling2D(x, output_size=(2, 3)))
        return pooled


class Residual(nn.HybridBlock):
    """Adds what it got to what it computed: normalized after the convolutions, or before them."""

    def __init__(self, before: bool) -> None:
        super().__init__()
        self._before = before
        with self.name_scope():
            self.body = nn.HybridSequential(prefix="body_")
            for _ in range(2):
                layers = [nn.Conv2D(4, 3, padding=1, use_bias=False), nn.BatchNorm(), nn.Activation("relu")]
                self.body.add(*(layers[1:] + layers[:1] if before else layers[:2]))
            self.short = nn.Conv2D(4, 1, use_bias=False, prefix="short_")

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        added = self.body(x) + self.short(x)
        return added if self._before else F.Activation(added, act_type="relu")


class Separable(nn.HybridBlock):
    """Depthwise and pointwise convolutions, an inverted bottleneck with a bounded rectifier."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.out = nn.HybridSequential()
            with self.out.name_scope():
                self.out.add(nn.Conv2D(8, 1, use_bias=False), nn.BatchNorm())
                self.out.add(nn.Conv2D(8, 3, padding=1, groups=8, use_bias=False), nn.BatchNorm(scale=True))
                self.out.add(nn.HybridLambda(lambda F, x: F.clip(x, 0, 6, name="relu6")))
                self.out.add(nn.Conv2D(4, 1, use_bias=False), nn.BatchNorm())

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.elemwise_add(self.out(x), x, name="sum")


class Dense(nn.HybridBlock):
    """Each layer sees what all before it gave."""

    def __init__(self) -> None:
        super().__init__(prefix="stage1_")
        with self.name_scope():
            self.layers = nn.HybridSequential(prefix="")
            for _ in range(3):
                layer = nn.HybridSequential(prefix="")
                layer.add(nn.BatchNorm(), nn.Activation("relu"), nn.Conv2D(2, 3, padding=1, use_bias=False))
                self.layers.add(layer)
            self.transition = nn.AvgPool2D(2, 2)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        for layer in self.layers:
            x = F.concat(x, layer(x), dim=1)
        return self.transition(x)


class Fire(nn.HybridBlock):
    """A narrow layer, then two wide ones side by side."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.squeeze = nn.Conv2D(2, 1, activation="relu")
            self.expand1 = nn.Conv2D(3, 1, activation="relu")
            self.expand3 = nn.Conv2D(3, 3, padding=1, activation="relu")

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        x = self.squeeze(x)
        return F.Concat(self.expand1(x), self.expand3(x), dim=1, name="wide")


class Inception(nn.HybridBlock):
    """Branches of different depth, put together."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.b1 = self.convolutions((2, 1, 0))
            self.b2 = self.convolutions((2, 1, 0), (3, 3, 1))
            self.b3 = self.convolutions((2, 1, 0), (2, (1, 3), (0, 1)), (3, (3, 1), (1, 0)))
            self.b4 = nn.AvgPool2D(3, 1, 1)

    @staticmethod
    def convolutions(*shapes: tuple[int, Any, Any]) -> Any:
        branch = nn.HybridSequential(prefix="")
        for channels, kernel, padding in shapes:
            branch.add(nn.Conv2D(channels, kernel, padding=padding), nn.BatchNorm(epsilon=0.001), nn.Activation("relu"))
        return branch

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.concat(*[branch(x) for branch in (self.b1, self.b2, self.b3, self.b4)], dim=1)


class Segmentation(nn.HybridBlock):
    """Down, and up again in three ways: transposed convolution, nearest and bilinear enlargement."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.down = nn.Conv2D(4, 3, strides=2, padding=1)
            self.up = nn.Conv2DTranspose(2, 4, strides=2, padding=1, in_channels=4)
            self.odd = nn.Conv2DTranspose(
                *(2, 3), strides=2, padding=1, output_padding=1, groups=2, use_bias=False, in_channels=4
            )

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        low = self.down(x)
        near = F.UpSampling(low, scale=2, sample_type="nearest")
        smooth = F.contrib.BilinearResize2D(low, height=8, width=8)
        up = F.Crop(self.up(low), x, num_args=2)
        return F.softmax(F.concat(up, self.odd(low), near, smooth, dim=1), axis=1)


def zoo(name: str, **options: Any) -> Any:
    return lambda: vision.get_model(name, classes=10, **options)


def image(channels: int, side: int, batch: int = 1) -> Any:
    return uniform(batch, channels, side, side)


NETWORKS = {
    "mlp": block(mlp, uniform(2, 7), gradients="predict"),
    "mlp_without_flattening": block(mlp_without_flattening, uniform(2, 3, 5)),
    "mlp_float64": block(mlp, uniform(2, 7, dtype="float64"), dtype="float64", gradients="predict"),
    "lenet": block(lenet, image(1, 14, 2), gradients="train"),
    "inner_results": block(inner_results, image(1, 14), gradients="train"),
    "normalized": block(normalized, image(3, 10)),
    "half_float16": block(half, uniform(1, 2, 4, 4, dtype="float16"), dtype="float16"),
    "convolutions_1d_3d": block(convolutions_1d_3d, uniform(2, 3, 12)),
    "pools": block(Pools, distinct(1, 2, 8, 8)),
    "residual_v1": block(lambda: Residual(False), image(3, 6), gradients="train"),
    "residual_v2": block(lambda: Residual(True), image(3, 6)),
    "separable": block(Separable, image(4, 6), gradients="train"),
    "densely_connected": block(Dense, image(3, 6)),
    "fire": block(Fire, image(3, 5)),
    "inception": block(Inception, image(3, 5)),
    "segmentation": block(Segmentation, image(3, 8), gradients="train"),
    "zoo_resnet18_v1": block(zoo("resnet18_v1"), image(3, 32), keeps_parameters=False),
    "zoo_resnet18_v2": block(zoo("resnet18_v2"), image(3, 32), keeps_parameters=False),
    "zoo_mobilenet": block(zoo("mobilenet0.25"), image(3, 64), keeps_parameters=False),
    "zoo_mobilenetv2": block(zoo("mobilenetv2_0.25"), image(3, 64), keeps_parameters=False),
    "zoo_squeezenet": block(zoo("squeezenet1.0"), image(3, 213), keeps_parameters=False),
}
