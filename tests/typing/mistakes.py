"""Mistakes that checkers find while they are written: each line has what their texts must contain. Nothing runs it.

`(pyright)` marks what mypy does not see: it knows nothing of modules that are attributes of objects, as `F.random` is.
"""

import mxnet as mx
from mxnet import autograd, gluon, init, lr_scheduler, metric, nd, npx, optimizer, sym
from mxnet.gluon import nn, rnn
from mxnet.gluon.data.vision import transforms
from regluon.operators import Operators


def arrays(x: nd.NDArray) -> None:
    nd.softmax(x, axsi=1)  # error: axsi
    nd.FullyConnected(x, x, num_hiden=3)  # error: num_hiden
    nd.FullyConnected(x, x, num_hidden="three")  # error: num_hidden|arg-type
    nd.Activation(x, act_type="reluu")  # error: act_type|arg-type
    nd.Activation(x)  # error: act_type
    nd.concat(x, x, axis=1)  # error: axis
    nd.sotfmax(x)  # error: sotfmax
    nd.contrib.box_ioo(x, x)  # error: box_ioo
    nd.linalg.gemm3(x, x)  # error: gemm3
    nd.image.to_tensr(x)  # error: to_tensr
    x.clip("low", 1)  # error: a_min|arg-type
    x.sum(axes=1)  # error: axes
    x.asnmupy()  # error: asnmupy
    x.numpy()  # error: numpy
    x.shape()  # error: call
    x.shape = "3"  # error: shape|assignment
    x.backwards()  # error: backwards
    x.attach_gradient()  # error: attach_gradient
    x.as_in_context("cpu", 1)  # error: as_in_context|positional
    x + "1"  # error: +
    x - None  # error: -
    x * {1: 2}  # error: *
    print(x < [1])  # error: <|list


def shapes_and_dtypes(x: nd.NDArray) -> None:
    nd.random.uniform(shape="3")  # error: shape|arg-type
    nd.random.normal(shape=(2.5, 3))  # error: shape|arg-type
    nd.random_uniform(shape=(2, "3"))  # error: shape|arg-type
    nd.broadcast_to(x, shape=2.5)  # error: shape|arg-type
    nd.Convolution(x, x, kernel=(3.0, 3.0), num_filter=2)  # error: kernel|arg-type
    nd.random.uniform(shape=(2,), dtype=32)  # error: dtype|arg-type
    nd.cast(x, dtype=(2, 3))  # error: dtype|arg-type
    nd.one_hot(x, depth="ten")  # error: depth|arg-type
    nd.slice(x, begin=(0, "1"), end=(1, 2))  # error: begin|arg-type
    mx.np.random.uniform(size="3")  # error: size|arg-type
    mx.np.zeros((2, "3"))  # error: shape|arg-type
    sym.zeros("3")  # error: shape|arg-type


def random_numbers(x: nd.NDArray, y: sym.Symbol) -> None:
    nd.random.uniform(0, 1, shap=(2, 3))  # error: shap
    nd.random.normal(mean=0, shape=(2,))  # error: mean
    nd.random.randn(2, 3, sclae=2)  # error: sclae
    nd.random.randint(0)  # error: high
    nd.random.uniform("0", 1)  # error: low|arg-type
    nd.random.gaussian(shape=(2,))  # error: gaussian
    nd.random.uniform_like(x, hihg=2)  # error: hihg
    nd.random.multinomial(x, get_prob=True).asnumpy()  # error: asnumpy
    sym.random.uniform(0, 1, shap=(2, 3))  # error: shap
    sym.random.normal(0, "1")  # error: scale|arg-type
    sym.random.poisson(lambda_=1)  # error: lambda_
    mx.np.random.normal(0, 1, shape=(2, 3))  # error: shape
    mx.np.random.randint(0, high="9")  # error: high|arg-type
    mx.np.random.rand(2, 3, dtyp="float16")  # error: dtyp
    mx.random.seed()  # error: seed


def several_outputs(x: nd.NDArray) -> None:
    nd.split(x, num_outputs=2).asnumpy()  # error: asnumpy
    nd.split(x)  # error: overload
    nd.topk(x, k=2, ret_typ="both").sum()  # error: sum
    nd.topk(x, ret_typ="all")  # error: ret_typ|overload
    nd.BatchNorm(x, x, x, x, x, output_mean_var=True).wait_to_read()  # error: wait_to_read
    x.topk(k=1, ret_typ="value").asnmupy()  # error: asnmupy


def symbols(x: sym.Symbol) -> None:
    sym.Pooling(x, pool_type="most")  # error: pool_type|arg-type
    sym.Convolution(x, kernal=(3, 3), num_filter=8)  # error: kernal
    sym.relu(x, nmae="a")  # error: nmae
    sym.Variabel("data")  # error: Variabel
    sym.ones((2,), dtyp="float32")  # error: dtyp
    x.list_argument()  # error: list_argument
    x.asnumpy_()  # error: asnumpy_
    x.infer_shapes(data=(1, 2))  # error: infer_shapes
    x.simple_binding(mx.cpu())  # error: simple_binding
    x + "1"  # error: +


def numpy_arrays(a: mx.np.ndarray) -> None:
    mx.np.sun(a)  # error: sun
    mx.np.sum(a, axs=0)  # error: axs
    mx.np.sum([1, 2])  # error: list
    mx.np.mean(a, axis="rows")  # error: axis|arg-type
    mx.np.exp(a, outt=a)  # error: outt|overload
    mx.np.add(a, 1, were=True)  # error: were|overload
    mx.np.concatenate(a, a, a, a)  # error: positional|concatenate
    mx.np.concatenate([a, [1]])  # error: list
    mx.np.reshape(a, newshap=(2,))  # error: newshap
    mx.np.reshape(a, "2")  # error: newshape|arg-type
    mx.np.eye(3, contxt=None)  # error: contxt
    mx.np.pad(a, ((1, 1),), mode="zeros")  # error: mode|arg-type
    mx.np.allclose(a, a, rtoll=1)  # error: rtoll
    mx.np.interp(a, a)  # error: fp
    mx.np.linalg.qr(a, mod="full")  # error: mod
    mx.np.linalg.inverse(a)  # error: inverse
    npx.softmax(a, axsi=1)  # error: axsi
    npx.one_hot(a)  # error: depth
    npx.sigmiod(a)  # error: sigmiod
    a.reshape(2, 3, orders="C")  # error: orders
    a.mean(axes=1)  # error: axes
    a.asnmupy()  # error: asnmupy
    a @ "b"  # error: @


def layers(x: nd.NDArray) -> None:
    nn.Dense(3, actvation="relu")  # error: actvation
    nn.Dense()  # error: units
    nn.Dense("3")  # error: units|arg-type
    nn.Conv2D(8)  # error: kernel_size
    nn.Conv2D(8, 3, stride=2)  # error: stride
    nn.BatchNorm(axes=1)  # error: axes
    nn.Dropout(rate="half")  # error: rate|arg-type
    nn.Dens(3)  # error: Dens
    nn.Dense(3)(x).asnmupy()  # error: asnmupy
    nn.Dense(3)([1, 2])  # error: list
    nn.Dense(3).hybridise()  # error: hybridise
    nn.Dense(3).weights.data()  # error: weights
    nn.Dense(3).weight.dat()  # error: dat
    nn.Dense(3).weight.data().asnmupy()  # error: asnmupy
    nn.Dense(3).collect_param()  # error: collect_param
    nn.Dense(3).collect_params().initialise()  # error: initialise
    nn.Dense(3).save_parameter("a")  # error: save_parameter
    nn.Dense(3).load_parameters()  # error: filename
    nn.Dense(3).initialize(init.Xavier(), contxt=mx.cpu())  # error: contxt
    nn.HybridSequential().append(nn.Dense(3))  # error: append
    rnn.LSTM(8, layers=2)  # error: layers
    rnn.LSTM(8).begin_states(2)  # error: begin_states
    gluon.Parameter("w", shpe=(2,))  # error: shpe
    gluon.model_zoo.vision.resnet18_v1(clases=10)  # error: clases
    gluon.model_zoo.vision.resnet18()  # error: resnet18


def training(x: nd.NDArray, net: nn.HybridBlock) -> None:
    gluon.loss.L2Los()  # error: L2Los
    gluon.loss.SoftmaxCrossEntropyLoss(sparse_labels=False)  # error: sparse_labels
    gluon.loss.L2Loss()(x, x).backwards()  # error: backwards
    gluon.Trainer(net.collect_params())  # error: optimizer
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    trainer.step()  # error: batch_size
    trainer.update_params(2)  # error: update_params
    trainer.learning_rate()  # error: call
    trainer.set_lr(0.1)  # error: set_lr
    optimizer.SGD(lerning_rate=0.1)  # error: lerning_rate
    optimizer.Adam(learning_rate="fast")  # error: learning_rate|arg-type
    optimizer.Adamm()  # error: Adamm
    lr_scheduler.FactorScheduler(factor=0.5)  # error: step
    metric.Accuracy(axs=1)  # error: axs
    metric.Accuracy().updates([x], [x])  # error: updates
    metric.Acuracy()  # error: Acuracy
    mx.init.Xavierr()  # error: Xavierr
    init.Xavier(magnitud=2)  # error: magnitud
    autograd.recrod()  # error: recrod
    autograd.record(training=True)  # error: training
    mx.kv.create("local").pushes(1, x)  # error: pushes
    mx.profiler.set_config(profil_all=True)  # error: profil_all


def data(x: nd.NDArray) -> None:
    dataset = gluon.data.ArrayDataset(x, x)
    loader = gluon.data.DataLoader(dataset, batch_size=2)
    loader.next()  # error: next
    gluon.data.DataLoader(dataset, batchsize=2)  # error: batchsize
    gluon.data.DataLoader(batch_size=2)  # error: dataset
    gluon.data.DataLoader(dataset, 2, num_workers="two")  # error: num_workers|arg-type
    dataset.transform_frist(transforms.ToTensor())  # error: transform_frist
    transforms.Resze(3)  # error: Resze
    transforms.RandomCrop()  # error: size
    mx.io.NDArrayIter(x, batchsize=2)  # error: batchsize
    gluon.utils.split_and_load(x, [mx.cpu()], axis=0)  # error: axis
    mx.cpu("0")  # error: device_id|arg-type
    mx.context.num_gpu()  # error: num_gpu


class Net(nn.HybridBlock):
    def hybrid_forward(self, F: Operators, x: nd.NDArray) -> nd.NDArray:
        F.rleu(x)  # error: rleu
        F.random.uniform(shap=(2,))  # error (pyright): shap
        F.contrib.box_ioo(x, x)  # error (pyright): box_ioo
        F.Dropout(x, p="0.5")  # error: p|arg-type
        return F.softmax(x, axsi=1)  # error: axsi
