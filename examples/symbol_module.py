"""The interface before Gluon, for programs and checkpoints that use it: symbols, `Module.fit`, checkpoint, predict."""

import logging
import tempfile
from pathlib import Path

from samples import CLOTHES, clothes

import mxnet as mx


def lenet(kinds: int) -> mx.sym.Symbol:
    """A network as an expression; weights get their names from the layers and their shapes from the data."""
    net = mx.sym.var("data")
    for number, channels in enumerate((16, 32), 1):
        net = mx.sym.Convolution(net, kernel=(5, 5), num_filter=channels, name=f"conv{number}")
        net = mx.sym.Activation(net, act_type="relu", name=f"relu{number}")
        net = mx.sym.Pooling(net, kernel=(2, 2), stride=(2, 2), pool_type="max", name=f"pool{number}")
    net = mx.sym.FullyConnected(mx.sym.flatten(net), num_hidden=64, name="hidden")
    net = mx.sym.FullyConnected(mx.sym.relu(net), num_hidden=kinds, name="scores")
    return mx.sym.SoftmaxOutput(net, name="softmax")


def main(epochs: int = 3, limit: int | None = None, folder: str | None = None) -> float:
    mx.random.seed(5)
    images, labels = (array[:limit] for array in clothes(train=True))
    train = mx.io.NDArrayIter(images, labels, batch_size=50, shuffle=True)
    test = mx.io.NDArrayIter(*clothes(train=False), batch_size=50)
    prefix = str(Path(folder or tempfile.mkdtemp()) / "clothes")

    module = mx.mod.Module(lenet(len(CLOTHES)), context=mx.cpu())
    module.fit(
        train,
        eval_data=test,
        optimizer="adam",
        optimizer_params={"learning_rate": 2e-3},
        initializer=mx.init.Xavier(),
        eval_metric="acc",
        batch_end_callback=mx.callback.Speedometer(50, frequent=40),
        epoch_end_callback=mx.callback.do_checkpoint(prefix),
        num_epoch=epochs,
    )

    # Another program starts here: it has the files, and neither the class nor the code above.
    symbol, arguments, states = mx.model.load_checkpoint(prefix, epochs)
    again = mx.mod.Module(symbol)
    again.bind(for_training=False, data_shapes=test.provide_data, label_shapes=test.provide_label)
    again.set_params(arguments, states)
    chances = again.predict(test)
    right = again.score(test, mx.metric.Accuracy())[0][1]
    print(f"{prefix}-{epochs:04}.params: {right:.1%} of the test pictures right")
    for guess, chance in zip(chances[:4].argmax(axis=1).asnumpy(), chances[:4].max(axis=1).asnumpy(), strict=True):
        print(f"  {CLOTHES[int(guess)]} ({chance:.0%})")
    return right


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")  # what fit and its callbacks say
    main()
