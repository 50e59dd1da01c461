"""Programs of a textbook on deep learning, condensed: networks with NumPy's semantics on tiny data for a few steps.

Each runs in the space that `space()` makes: `hybridized` says whether networks are compiled, `fill(net, x)` gives
parameters fixed values, and `result` is what the program leaves: names and arrays or numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as onp

import mxnet as mx
from mxnet import autograd, gluon, init, np, npx
from mxnet.gluon import nn, rnn


def space(hybridized: bool) -> dict[str, Any]:
    """What programs find."""
    draws = onp.random.RandomState(7)

    def random(*shape: int) -> Any:
        return np.array(draws.uniform(-1, 1, shape).astype("float32"))

    def fill(net: Any, *inputs: Any) -> Any:
        """A network whose parameters have fixed values; the inputs tell the shapes."""
        net.initialize()
        net(*inputs)
        for position, parameter in enumerate(net.collect_params().values()):
            if parameter.grad_req != "null":
                values = onp.random.RandomState(position).uniform(-0.5, 0.5, parameter.shape)
                parameter.set_data(np.array(values.astype("float32")))
        if hybridized:
            net.hybridize()
        return net

    def fit(net: Any, loss: Any, trainer: Any, batches: Any) -> list[float]:
        """Trains a few steps and returns the losses."""
        losses = []
        for features, labels in batches:
            with autograd.record():
                value = loss(net(features), labels)
            value.backward()
            trainer.step(features.shape[0])
            losses.append(float(value.mean()))
        return losses

    return {
        "mx": mx,
        "np": np,
        "npx": npx,
        "gluon": gluon,
        "nn": nn,
        "rnn": rnn,
        "autograd": autograd,
        "init": init,
        "onp": onp,
        "random": random,
        "fill": fill,
        "fit": fit,
        "hybridized": hybridized,
        "result": {},
    }


PROGRAMS = {
    "linear_regression_from_scratch": """
true_w, true_b = np.array([2, -3.4]), 4.2
X = random(20, 2)
y = np.dot(X, true_w) + true_b
w, b = np.zeros((2, 1)), np.zeros(1)
w.attach_grad(); b.attach_grad()
losses = []
for epoch in range(3):
    for start in range(0, 20, 5):
        batch, labels = X[start:start + 5], y[start:start + 5]
        with autograd.record():
            predicted = np.dot(batch, w) + b
            loss = (predicted - labels.reshape(predicted.shape)) ** 2 / 2
        loss.backward()
        for parameter in (w, b):
            parameter[:] = parameter - 0.1 * parameter.grad / 5
        losses.append(float(loss.mean()))
result = {"w": w, "b": b, "losses": losses}
""",
    "linear_regression_concise": """
X = random(20, 2)
y = (np.dot(X, np.array([2, -3.4])) + 4.2).reshape(-1, 1)
loader = gluon.data.DataLoader(gluon.data.ArrayDataset(X, y), 5)
net = nn.HybridSequential()
net.add(nn.Dense(1))
fill(net, X)
trainer = gluon.Trainer(net.collect_params(), 'sgd', {'learning_rate': 0.1})
losses = fit(net, gluon.loss.L2Loss(), trainer, loader)
result = {"w": net[0].weight.data(), "b": net[0].bias.data(), "losses": losses}
""",
    "softmax_regression_from_scratch": """
def softmax(X):
    X_exp = np.exp(X)
    return X_exp / X_exp.sum(axis=1, keepdims=True)
X, y = random(6, 4), np.array([0, 2, 1, 1, 0, 2])
W, b = random(4, 3), np.zeros(3)
W.attach_grad(); b.attach_grad()
with autograd.record():
    y_hat = softmax(np.dot(X.reshape((-1, W.shape[0])), W) + b)
    loss = -np.log(y_hat[range(len(y_hat)), y])
loss.backward()
matches = y_hat.argmax(axis=1).astype(y.dtype) == y
result = {"loss": loss, "W": W.grad, "b": b.grad, "accuracy": float(matches.astype(y.dtype).sum()) / len(y)}
""",
    "softmax_regression_concise": """
X, y = random(12, 2, 2), np.array([0, 1, 2] * 4)
net = nn.HybridSequential()
net.add(nn.Dense(3))
fill(net, X)
trainer = gluon.Trainer(net.collect_params(), 'sgd', {'learning_rate': 0.5})
losses = fit(net, gluon.loss.SoftmaxCrossEntropyLoss(), trainer, [(X, y)] * 4)
result = {"losses": losses, "labels": net(X).argmax(axis=1)}
""",
    "mlp_from_scratch": """
X, y = random(5, 4), np.array([0, 1, 1, 0, 1])
W1, b1, W2, b2 = random(4, 6), np.zeros(6), random(6, 2), np.zeros(2)
for parameter in (W1, b1, W2, b2):
    parameter.attach_grad()
loss = gluon.loss.SoftmaxCrossEntropyLoss()
losses = []
for _ in range(3):
    with autograd.record():
        H = np.maximum(np.dot(X, W1) + b1, 0)
        l = loss(np.dot(H, W2) + b2, y)
    l.backward()
    for parameter in (W1, b1, W2, b2):
        parameter[:] -= 0.5 * parameter.grad / 5
    losses.append(float(l.sum()))
result = {"W1": W1, "b2": b2, "losses": losses}
""",
    "weight_decay_and_momentum": """
X, y = random(8, 10), random(8, 1)
net = nn.HybridSequential()
net.add(nn.Dense(1))
fill(net, X)
net.collect_params('.*bias').setattr('wd_mult', 0)
trainer = gluon.Trainer(net.collect_params(), 'sgd', {'learning_rate': 0.05, 'wd': 3, 'momentum': 0.5})
losses = fit(net, gluon.loss.L2Loss(), trainer, [(X, y)] * 4)
result = {"losses": losses, "norm": np.linalg.norm(net[0].weight.data()), "b": net[0].bias.data()}
""",
    "dropout_from_scratch": """
def dropout_layer(X, dropout):
    if dropout == 1:
        return np.zeros_like(X)
    if dropout == 0:
        return X
    mask = np.random.uniform(0, 1, X.shape) > dropout
    return mask.astype(np.float32) * X / (1.0 - dropout)
X = np.arange(16).reshape(2, 8)
half = dropout_layer(X, 0.5)
kept = ((half == 0) + (half == 2 * X)).astype('int32')
layer = nn.Dropout(0.5)
if hybridized:
    layer.hybridize()
with autograd.record():
    dropped = layer(X)
valid = ((dropped == 0) + (dropped == 2 * X)).astype('int32')
result = {"none": dropout_layer(X, 0), "all": dropout_layer(X, 1), "kept": kept, "valid": valid, "predict": layer(X)}
""",
    "custom_block": """
class FixedHiddenMLP(nn.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.rand_weight = self.params.get_constant('rand_weight', onp.arange(16, dtype='float32').reshape(4, 4) / 16)
        self.dense = nn.Dense(4, activation='relu')

    def hybrid_forward(self, F, X, rand_weight):
        X = self.dense(X)
        X = F.npx.relu(F.np.dot(X, rand_weight) + 1)
        X = self.dense(X)
        return X.sum(axis=1)

X = random(3, 4)
net = fill(FixedHiddenMLP(), X)
with autograd.record():
    out = net(X)
out.backward()
result = {"out": out, "grad": net.dense.weight.grad(), "constant": net.rand_weight.data()}
""",
    "custom_layer": """
class CenteredLayer(nn.HybridBlock):
    def hybrid_forward(self, F, X):
        return X - X.mean()

class MyDense(nn.HybridBlock):
    def __init__(self, units, in_units, **kwargs):
        super().__init__(**kwargs)
        self.weight = self.params.get('weight', shape=(in_units, units))
        self.bias = self.params.get('bias', shape=(units,))

    def hybrid_forward(self, F, x, weight, bias):
        return F.npx.relu(F.np.dot(x, weight) + bias)

net = nn.HybridSequential()
net.add(MyDense(8, 5), CenteredLayer(), MyDense(1, 8))
X = random(2, 5)
fill(net, X)
result = {"out": net(X), "centered": CenteredLayer()(np.array([1, 2, 3, 4, 5]))}
""",
    "parameter_access": """
net = nn.HybridSequential()
net.add(nn.Dense(8, activation='relu'))
net.add(nn.Dense(1))
net.initialize(init.Constant(0.5))
X = random(2, 4)
net(X)
shared = nn.Dense(8, activation='relu')
tied = nn.HybridSequential()
tied.add(nn.Dense(8, activation='relu'), shared, nn.Dense(8, activation='relu', params=shared.params), nn.Dense(10))
fill(tied, X)
tied[1].weight.data()[0, 0] = 100
net[0].weight.set_data(net[0].weight.data() + 1)
net[1].bias.data()[:] = 7
result = {
    "weight": net[0].weight.data()[0], "bias": net[1].bias.data(), "gradient": net[0].weight.grad(),
    "same": int((tied[1].weight.data()[0] == tied[2].weight.data()[0]).sum()), "out": net(X),
    "shapes": [list(p.shape) for p in net.collect_params().values()],
}
""",
    "custom_initializer": """
class MyInit(init.Initializer):
    def _init_weight(self, name, data):
        data[:] = np.arange(data.size).reshape(data.shape) - 3
        data *= np.abs(data) >= 2

net = nn.Dense(3, in_units=2)
net.initialize(MyInit())
result = {"weight": net.weight.data(), "bias": net.bias.data()}
""",
    "convolution_from_scratch": """
def corr2d(X, K):
    h, w = K.shape
    Y = np.zeros((X.shape[0] - h + 1, X.shape[1] - w + 1))
    for i in range(Y.shape[0]):
        for j in range(Y.shape[1]):
            Y[i, j] = (X[i:i + h, j:j + w] * K).sum()
    return Y

class Conv2D(nn.Block):
    def __init__(self, kernel_size, **kwargs):
        super().__init__(**kwargs)
        self.weight = self.params.get('weight', shape=kernel_size)
        self.bias = self.params.get('bias', shape=(1,))

    def forward(self, x):
        return corr2d(x, self.weight.data()) + self.bias.data()

X = np.ones((6, 8))
X[:, 2:6] = 0
K = np.array([[1, -1]])
Y = corr2d(X, K)
conv = nn.Conv2D(1, kernel_size=(1, 2), use_bias=False)
data, target = X.reshape(1, 1, 6, 8), Y.reshape(1, 1, 6, 7)
fill(conv, data)
for _ in range(5):
    with autograd.record():
        l = (conv(data) - target) ** 2
    l.backward()
    conv.weight.data()[:] -= 3e-2 * conv.weight.grad()
own = Conv2D((2, 2))
own.initialize(init.One())
result = {"Y": Y, "weight": conv.weight.data().reshape((1, 2)), "own": own(X)}
""",
    "lenet": """
net = nn.HybridSequential()
net.add(nn.Conv2D(channels=3, kernel_size=5, padding=2, activation='sigmoid'),
        nn.AvgPool2D(pool_size=2, strides=2),
        nn.Conv2D(channels=4, kernel_size=3, activation='sigmoid'),
        nn.AvgPool2D(pool_size=2, strides=2),
        nn.Dense(12, activation='sigmoid'), nn.Dense(10))
X, y = random(4, 1, 12, 12), np.array([1, 5, 2, 9])
fill(net, X)
trainer = gluon.Trainer(net.collect_params(), 'sgd', {'learning_rate': 0.9})
result = {"losses": fit(net, gluon.loss.SoftmaxCrossEntropyLoss(), trainer, [(X, y)] * 3), "out": net(X)}
""",
    "batch_norm_from_scratch": """
def batch_norm(X, gamma, beta, moving_mean, moving_var, eps, momentum):
    if not autograd.is_training():
        X_hat = (X - moving_mean) / np.sqrt(moving_var + eps)
    else:
        if len(X.shape) == 2:
            mean, var = X.mean(axis=0), ((X - X.mean(axis=0)) ** 2).mean(axis=0)
        else:
            mean = X.mean(axis=(0, 2, 3), keepdims=True)
            var = ((X - mean) ** 2).mean(axis=(0, 2, 3), keepdims=True)
        X_hat = (X - mean) / np.sqrt(var + eps)
        moving_mean = momentum * moving_mean + (1.0 - momentum) * mean
        moving_var = momentum * moving_var + (1.0 - momentum) * var
    return gamma * X_hat + beta, moving_mean, moving_var

class BatchNorm(nn.Block):
    def __init__(self, num_features, num_dims, **kwargs):
        super().__init__(**kwargs)
        shape = (1, num_features) if num_dims == 2 else (1, num_features, 1, 1)
        self.gamma = self.params.get('gamma', shape=shape, init=init.One())
        self.beta = self.params.get('beta', shape=shape, init=init.Zero())
        self.moving_mean, self.moving_var = np.zeros(shape), np.ones(shape)

    def forward(self, X):
        if self.moving_mean.ctx != X.ctx:
            self.moving_mean = self.moving_mean.copyto(X.ctx)
            self.moving_var = self.moving_var.copyto(X.ctx)
        Y, self.moving_mean, self.moving_var = batch_norm(
            X, self.gamma.data(), self.beta.data(), self.moving_mean, self.moving_var, eps=1e-5, momentum=0.9)
        return Y

X = random(4, 3, 2, 2)
own, ready = BatchNorm(3, num_dims=4), nn.BatchNorm()
own.initialize(); ready.initialize()
if hybridized:
    ready.hybridize()
with autograd.record():
    a, b = own(X), ready(X)
    l = (a ** 2).sum() + (b ** 3).sum()
l.backward()
result = {"own": a, "ready": b, "mean": own.moving_mean, "running": ready.running_mean.data(),
          "gamma": own.gamma.grad(), "beta": ready.beta.grad(), "predict": ready(X), "l": l}
""",
    "residual_block": """
class Residual(nn.HybridBlock):
    def __init__(self, num_channels, use_1x1conv=False, strides=1, **kwargs):
        super().__init__(**kwargs)
        self.conv1 = nn.Conv2D(num_channels, kernel_size=3, padding=1, strides=strides)
        self.conv2 = nn.Conv2D(num_channels, kernel_size=3, padding=1)
        self.conv3 = nn.Conv2D(num_channels, kernel_size=1, strides=strides) if use_1x1conv else None
        self.bn1, self.bn2 = nn.BatchNorm(), nn.BatchNorm()

    def hybrid_forward(self, F, X):
        Y = F.npx.relu(self.bn1(self.conv1(X)))
        Y = self.bn2(self.conv2(Y))
        if self.conv3:
            X = self.conv3(X)
        return F.npx.relu(Y + X)

X = random(2, 3, 6, 6)
net = nn.HybridSequential()
net.add(Residual(3), Residual(4, use_1x1conv=True, strides=2), nn.GlobalAvgPool2D(), nn.Dense(2))
fill(net, X)
with autograd.record():
    out = net(X)
    l = (out ** 2).sum()
l.backward()
result = {"out": out, "predict": net(X), "grad": net[1].conv3.weight.grad()}
""",
    "rnn_from_scratch": """
vocab, hidden, batch = 5, 4, 2
W_xh, W_hh, W_hq = random(vocab, hidden), random(hidden, hidden), random(hidden, vocab)
b_h, b_q = np.zeros(hidden), np.zeros(vocab)
params = [W_xh, W_hh, b_h, W_hq, b_q]
for parameter in params:
    parameter.attach_grad()

def rnn_net(inputs, state):
    H, outputs = state[0], []
    for X in inputs:
        H = np.tanh(np.dot(X, W_xh) + np.dot(H, W_hh) + b_h)
        outputs.append(np.dot(H, W_hq) + b_q)
    return np.concatenate(outputs, axis=0), (H,)

def grad_clipping(params, theta):
    norm = np.sqrt(sum((p.grad ** 2).sum() for p in params))
    if norm > theta:
        for p in params:
            p.grad[:] *= theta / norm
    return norm

tokens = np.array([[0, 1, 2, 3], [2, 3, 4, 0]])
targets = np.array([[1, 2, 3, 4], [3, 4, 0, 1]])
loss = gluon.loss.SoftmaxCrossEntropyLoss()
state, perplexity = (np.zeros((batch, hidden)),), []
for _ in range(3):
    state = tuple(s.detach() for s in state)
    with autograd.record():
        out, state = rnn_net(npx.one_hot(tokens.T, vocab), state)
        l = loss(out, targets.T.reshape(-1)).mean()
    l.backward()
    norm = grad_clipping(params, 0.1)
    for parameter in params:
        parameter[:] = parameter - 1.0 * parameter.grad
    perplexity.append(float(np.exp(l)))
result = {"perplexity": perplexity, "norm": norm, "state": state[0], "W_hq": W_hq}
""",
    "rnn_concise": """
vocab, batch = 5, 2
class RNNModel(nn.Block):
    def __init__(self, rnn_layer, vocab_size, **kwargs):
        super().__init__(**kwargs)
        self.rnn, self.vocab_size, self.dense = rnn_layer, vocab_size, nn.Dense(vocab_size)

    def forward(self, inputs, state):
        Y, state = self.rnn(npx.one_hot(inputs.T, self.vocab_size), state)
        return self.dense(Y.reshape(-1, Y.shape[-1])), state

tokens = np.array([[0, 1, 2, 3], [2, 3, 4, 0]])
targets = np.array([[1, 2, 3, 4], [3, 4, 0, 1]])
loss = gluon.loss.SoftmaxCrossEntropyLoss()
result = {}
for name, layer in (('rnn', rnn.RNN(3)), ('gru', rnn.GRU(3, 2)), ('lstm', rnn.LSTM(3)),
                    ('both', rnn.LSTM(3, bidirectional=True))):
    net = RNNModel(layer, vocab)
    state = layer.begin_state(batch_size=batch)
    fill(net, tokens, state)
    trainer = gluon.Trainer(net.collect_params(), 'sgd', {'learning_rate': 1})
    for _ in range(2):
        for s in state:
            s.detach()
        with autograd.record():
            out, state = net(tokens, state)
            l = loss(out, targets.T.reshape(-1)).mean()
        l.backward()
        trainer.step(1)
    result[name] = out
    result[name + '_state'] = state[0]
""",
    "attention": """
def masked_softmax(X, valid_lens):
    if valid_lens is None:
        return npx.softmax(X)
    shape = X.shape
    if valid_lens.ndim == 1:
        valid_lens = valid_lens.repeat(shape[1])
    else:
        valid_lens = valid_lens.reshape(-1)
    X = npx.sequence_mask(X.reshape(-1, shape[-1]), valid_lens, True, value=-1e6, axis=1)
    return npx.softmax(X).reshape(shape)

class AdditiveAttention(nn.Block):
    def __init__(self, num_hiddens, dropout, **kwargs):
        super().__init__(**kwargs)
        self.W_k = nn.Dense(num_hiddens, use_bias=False, flatten=False)
        self.W_q = nn.Dense(num_hiddens, use_bias=False, flatten=False)
        self.w_v = nn.Dense(1, use_bias=False, flatten=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_lens):
        queries, keys = self.W_q(queries), self.W_k(keys)
        features = np.tanh(np.expand_dims(queries, axis=2) + np.expand_dims(keys, axis=1))
        scores = np.squeeze(self.w_v(features), axis=-1)
        self.attention_weights = masked_softmax(scores, valid_lens)
        return npx.batch_dot(self.dropout(self.attention_weights), values)

class DotProductAttention(nn.Block):
    def forward(self, queries, keys, values, valid_lens=None):
        scores = npx.batch_dot(queries, keys, transpose_b=True) / (queries.shape[-1] ** 0.5)
        return npx.batch_dot(masked_softmax(scores, valid_lens), values)

keys, values = random(2, 5, 3), np.arange(20).reshape(1, 5, 4).repeat(2, axis=0)
valid_lens = np.array([2, 4])
additive = fill(AdditiveAttention(6, 0.1), random(2, 1, 7), keys, values, valid_lens)
queries = random(2, 1, 7)
result = {
    "masked": masked_softmax(np.ones((2, 2, 4)), np.array([2, 3])),
    "masked_rows": masked_softmax(np.ones((2, 2, 4)), np.array([[1, 3], [2, 4]])),
    "additive": additive(queries, keys, values, valid_lens), "weights": additive.attention_weights,
    "dot": DotProductAttention()(random(2, 1, 3), keys, values, valid_lens),
}
""",
    "transformer_encoder": """
class MultiHeadAttention(nn.HybridBlock):
    def __init__(self, num_hiddens, num_heads, **kwargs):
        super().__init__(**kwargs)
        self.num_heads = num_heads
        self.W_q = nn.Dense(num_hiddens, use_bias=False, flatten=False)
        self.W_k = nn.Dense(num_hiddens, use_bias=False, flatten=False)
        self.W_v = nn.Dense(num_hiddens, use_bias=False, flatten=False)
        self.W_o = nn.Dense(num_hiddens, use_bias=False, flatten=False)

    def split(self, F, X):
        X = F.npx.reshape(X, (-2, -2, self.num_heads, -1))
        return F.npx.reshape(F.np.transpose(X, axes=(0, 2, 1, 3)), (-1, -2, -2), reverse=True)

    def hybrid_forward(self, F, X, valid_lens):
        queries, keys, values = (self.split(F, W(X)) for W in (self.W_q, self.W_k, self.W_v))
        scores = F.npx.batch_dot(queries, keys, transpose_b=True) / 2.0
        lengths = F.np.repeat(F.np.repeat(valid_lens, repeats=self.num_heads, axis=0), repeats=4, axis=0)
        flat = F.npx.reshape(scores, (-5, -2))
        masked = F.npx.sequence_mask(flat, lengths, True, value=-1e6, axis=1)
        weights = F.npx.reshape_like(F.npx.softmax(masked), scores)
        out = F.npx.reshape(F.npx.batch_dot(weights, values), (-6, -1, self.num_heads, -2, -2))
        return self.W_o(F.npx.reshape(F.np.transpose(out, axes=(0, 2, 1, 3)), (-2, -2, -5)))

class AddNorm(nn.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.ln = nn.LayerNorm()

    def hybrid_forward(self, F, X, Y):
        return self.ln(Y + X)

class EncoderBlock(nn.HybridBlock):
    def __init__(self, num_hiddens, num_heads, **kwargs):
        super().__init__(**kwargs)
        self.attention, self.addnorm1 = MultiHeadAttention(num_hiddens, num_heads), AddNorm()
        self.ffn = nn.HybridSequential()
        self.ffn.add(nn.Dense(16, flatten=False, activation='relu'), nn.Dense(num_hiddens, flatten=False))
        self.addnorm2 = AddNorm()

    def hybrid_forward(self, F, X, valid_lens):
        Y = self.addnorm1(X, self.attention(X, valid_lens))
        return self.addnorm2(Y, self.ffn(Y))

X, valid_lens = random(2, 4, 8), np.array([3, 2])
net = fill(EncoderBlock(8, 2), X, valid_lens)
with autograd.record():
    out = net(X, valid_lens)
    l = (out * random(2, 4, 8)).sum()
l.backward()
result = {"out": out, "l": l, "grad": net.attention.W_q.weight.grad(), "norm": net.addnorm2.ln.gamma.grad()}
""",
    "positional_encoding": """
max_len, num_hiddens = 10, 6
P = np.zeros((1, max_len, num_hiddens))
X = np.arange(max_len).reshape(-1, 1) / np.power(10000, np.arange(0, num_hiddens, 2) / num_hiddens)
P[:, :, 0::2] = np.sin(X)
P[:, :, 1::2] = np.cos(X)
result = {"P": P[0], "sum": (random(2, 4, 6) + P[:, :4, :]).sum()}
""",
    "word2vec": """
def skip_gram(center, contexts_and_negatives, embed_v, embed_u):
    return npx.batch_dot(embed_v(center), embed_u(contexts_and_negatives).swapaxes(1, 2))

center = np.array([[1], [4]])
embed_v = fill(nn.Embedding(input_dim=8, output_dim=4), center)
embed_u = fill(nn.Embedding(input_dim=8, output_dim=4), center)
context = np.array([[2, 3, 0, 7], [5, 6, 1, 0]])
mask, label = np.array([[1, 1, 1, 1], [1, 1, 1, 0]]), np.array([[1, 0, 0, 0], [1, 1, 0, 0]])
params = embed_v.collect_params()
params.update(embed_u.collect_params())
trainer = gluon.Trainer(params, 'adam', {'learning_rate': 0.05})
loss = gluon.loss.SigmoidBCELoss()
losses = []
for _ in range(4):
    with autograd.record():
        pred = skip_gram(center, context, embed_v, embed_u)
        l = loss(pred.reshape(label.shape), label, mask) / mask.sum(axis=1) * mask.shape[1]
    l.backward()
    trainer.step(2)
    losses.append(float(l.sum()))
result = {"losses": losses, "v": embed_v.weight.data(), "u": embed_u.weight.data()}
""",
    "detection_boxes": """
X = random(1, 3, 4, 5)
anchors = npx.multibox_prior(X, sizes=[0.75, 0.5], ratios=[1, 2, 0.5])
boxes = np.array([[0, 0.1, 0.08, 0.52, 0.92], [1, 0.55, 0.2, 0.9, 0.88]])
some = np.array([[0, 0.1, 0.2, 0.3], [0.15, 0.2, 0.4, 0.4], [0.63, 0.05, 0.88, 0.98],
                 [0.66, 0.45, 0.8, 0.8], [0.57, 0.3, 0.92, 0.9]])
offsets, masks, classes = npx.multibox_target(np.expand_dims(some, axis=0), np.expand_dims(boxes, axis=0),
                                              np.zeros((1, 3, 5)))
found = np.array([[0.1, 0.08, 0.52, 0.92], [0.08, 0.2, 0.56, 0.95], [0.15, 0.3, 0.62, 0.91], [0.55, 0.2, 0.9, 0.88]])
probabilities = np.array([[0] * 4, [0.9, 0.8, 0.7, 0.1], [0.1, 0.2, 0.3, 0.9]])
out = npx.multibox_detection(np.expand_dims(probabilities, axis=0), np.zeros((1, 16)), np.expand_dims(found, axis=0),
                             nms_threshold=0.5)
result = {"anchors": anchors.reshape(4, 5, 4, 4)[2, 2], "offsets": offsets, "masks": masks, "classes": classes,
          "out": out, "smooth": npx.smooth_l1(np.arange(-2, 2, 0.5), scalar=1.0)}
""",
    "box_utilities": """
def box_iou(boxes1, boxes2):
    area = lambda boxes: (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    upper_left = np.maximum(boxes1[:, None, :2], boxes2[:, :2])
    lower_right = np.minimum(boxes1[:, None, 2:], boxes2[:, 2:])
    sides = (lower_right - upper_left).clip(min=0)
    inter = sides[:, :, 0] * sides[:, :, 1]
    return inter / (area(boxes1)[:, None] + area(boxes2) - inter)

def corner_to_center(boxes):
    x1, y1, x2, y2 = boxes[:, 0], boxes[:, 1], boxes[:, 2], boxes[:, 3]
    return np.stack(((x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1), axis=-1)

class Boxes(nn.HybridBlock):
    def forward(self, a, b):
        iou = box_iou(a, b)
        return iou, np.argmax(iou, axis=1), np.max(iou, axis=1), corner_to_center(a)

a = np.array([[0, 0, 2, 2], [1, 1, 3, 3], [0, 1, 2, 3.0]])
b = np.array([[0, 0, 1, 2], [1, 0, 3, 2.5]])
net = Boxes()
if hybridized:
    net.hybridize()
iou, best, value, centers = net(a, b)
result = {"iou": iou, "best": best, "value": value, "centers": centers}
""",
    "adam_and_schedules": """
X, y = random(6, 3), random(6, 1)
result = {}
for name, options in (('adam', {'learning_rate': 0.1}), ('rmsprop', {'learning_rate': 0.01, 'gamma1': 0.9}),
                      ('adagrad', {'learning_rate': 0.1}), ('adadelta', {'rho': 0.9}),
                      ('sgd', {'lr_scheduler': mx.lr_scheduler.FactorScheduler(2, 0.5, base_lr=0.1)})):
    net = nn.HybridSequential()
    net.add(nn.Dense(4, activation='tanh'), nn.Dense(1))
    fill(net, X)
    trainer = gluon.Trainer(net.collect_params(), name, options)
    result[name] = fit(net, gluon.loss.L2Loss(), trainer, [(X, y)] * 4)
""",
    "losses": """
pred, label = random(4, 3), np.array([0, 2, 1, 1])
dense = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1], [1, 0, 0]])
result = {}
for name, loss, target in (
    ('ce', gluon.loss.SoftmaxCELoss(), label), ('ce_dense', gluon.loss.SoftmaxCELoss(sparse_label=False), dense),
    ('l1', gluon.loss.L1Loss(), dense), ('l2', gluon.loss.L2Loss(), dense), ('bce', gluon.loss.SigmoidBCELoss(), dense),
):
    if hybridized:
        loss.hybridize()
    pred.attach_grad()
    with autograd.record():
        value = loss(pred, target)
    value.backward()
    result[name], result[name + '_grad'] = value, pred.grad.copy()
result['weighted'] = gluon.loss.SoftmaxCELoss()(pred, label, np.array([[1], [0.5], [0], [2]]))
result['devices'] = [part.sum() for part in gluon.utils.split_and_load(pred, [mx.cpu(0), mx.cpu(1)])]
""",
    "matrix_factorization": """
class MF(nn.Block):
    def __init__(self, num_factors, num_users, num_items, **kwargs):
        super().__init__(**kwargs)
        self.P, self.Q = nn.Embedding(num_users, num_factors), nn.Embedding(num_items, num_factors)
        self.user_bias, self.item_bias = nn.Embedding(num_users, 1), nn.Embedding(num_items, 1)

    def forward(self, user_id, item_id):
        outputs = (self.P(user_id) * self.Q(item_id)).sum(axis=1)
        outputs = outputs + np.squeeze(self.user_bias(user_id), axis=1) + np.squeeze(self.item_bias(item_id), axis=1)
        return outputs.flatten()

users, items, scores = np.array([0, 1, 2, 1]), np.array([3, 0, 1, 2]), np.array([5.0, 3, 4, 1])
net = fill(MF(3, 3, 4), users, items)
trainer = gluon.Trainer(net.collect_params(), 'adam', {'learning_rate': 0.1, 'wd': 1e-3})
losses = []
for _ in range(3):
    with autograd.record():
        l = gluon.loss.L2Loss()(net(users, items), scores)
    l.backward()
    trainer.step(4)
    losses.append(float(l.sum()))
result = {"losses": losses, "out": net(users, items)}
""",
    "gan": """
real, noise = random(4, 2) + 3, random(4, 2)
G, D = nn.HybridSequential(), nn.HybridSequential()
G.add(nn.Dense(2))
D.add(nn.Dense(5, activation='tanh'), nn.Dense(3, activation='tanh'), nn.Dense(1))
fill(G, noise); fill(D, real)
loss = gluon.loss.SigmoidBCELoss()
trainer_D = gluon.Trainer(D.collect_params(), 'adam', {'learning_rate': 0.05})
trainer_G = gluon.Trainer(G.collect_params(), 'adam', {'learning_rate': 0.05})
ones, zeros = np.ones((4,)), np.zeros((4,))
history = []
for _ in range(3):
    with autograd.record():
        fake = G(noise)
        loss_D = (loss(D(real), ones) + loss(D(fake.detach()), zeros)) / 2
    loss_D.backward()
    trainer_D.step(4)
    with autograd.record():
        loss_G = loss(D(G(noise)), ones)
    loss_G.backward()
    trainer_G.step(4)
    history += [float(loss_D.sum()), float(loss_G.sum())]
result = {"history": history, "fake": G(noise)}
""",
}

# Networks to export: each program leaves `net`, hybridized, and `inputs`.
EXPORTED = {
    "mlp": """
net = nn.HybridSequential()
net.add(nn.Dense(4, activation='relu'), nn.Dropout(0.2), nn.Dense(2))
inputs = [random(2, 3)]
""",
    "convolutions": """
net = nn.HybridSequential()
net.add(nn.Conv2D(3, 3, padding=1), nn.BatchNorm(), nn.Activation('relu'), nn.MaxPool2D(2), nn.GlobalAvgPool2D(),
        nn.Flatten(), nn.LayerNorm(), nn.Dense(2, use_bias=False))
inputs = [random(2, 3, 6, 6)]
""",
    "own_functions": """
class Net(nn.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.dense = nn.Dense(4, flatten=False)
            self.weight = self.params.get('weight', shape=(4, 4), init='ones')

    def hybrid_forward(self, F, x, weight):
        y = F.npx.relu(F.np.dot(self.dense(x), weight) + 1)
        z = F.np.exp(-y) / 2 + F.np.maximum(y, 0.5) * x[:, 0:1]
        return F.npx.softmax(z, axis=-1).sum(axis=1), F.np.concatenate([z, y], axis=-1).mean(), z[0]

net = Net()
inputs = [random(2, 3)]
""",
    "attention": """
class Attention(nn.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.query, self.key = nn.Dense(4, flatten=False), nn.Dense(4, flatten=False, use_bias=False)

    def hybrid_forward(self, F, x, lengths):
        scores = F.npx.batch_dot(self.query(x), self.key(x), transpose_b=True) / 2
        masked = F.npx.reshape(scores, (-5, -2))
        masked = F.npx.sequence_mask(masked, F.np.repeat(lengths, 3, axis=0), True, value=-1e6, axis=1)
        weights = F.npx.softmax(masked).reshape((-1, 3, 3))
        return F.np.transpose(F.npx.batch_dot(weights, x), axes=(0, 2, 1))

net = Attention()
inputs = [random(2, 3, 4), np.array([2, 3])]
""",
    "embedding": """
net = nn.HybridSequential()
net.add(nn.Embedding(5, 3), nn.HybridLambda(lambda F, x: F.np.swapaxes(x, 1, 2).max(axis=-1)), nn.Dense(2))
inputs = [np.array([[1, 2], [0, 4]])]
""",
}
