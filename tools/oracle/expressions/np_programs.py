"""Longer programs on `mx.np` arrays, as text books write them."""

from tools.oracle.expressions import NUMPY, Entry, group

_LINEAR_REGRESSION = """
features = np.arange(20).reshape(10, 2) / 10
labels = np.dot(features, np.array([2, -3.4])) + 4.2
w, b = np.zeros((2, 1)), np.zeros(1)
w.attach_grad()
b.attach_grad()
for _ in range(20):
    for start in range(0, 10, 5):
        chosen = np.array(list(range(start, start + 5)))
        X, y = features[chosen], labels[chosen]
        with autograd.record():
            guess = np.dot(X, w) + b
            loss = (guess - y.reshape(guess.shape)) ** 2 / 2
        loss.backward()
        for param in (w, b):
            param[:] = param - 0.1 * param.grad / 5
"""

_SOFTMAX_REGRESSION = """
X, y = np.arange(12).reshape(4, 3) / 6 - 1, np.array([0, 1, 1, 0])
W, b = np.zeros((3, 2)), np.zeros(2)
for param in (W, b):
    param.attach_grad()
def softmax(X):
    exponents = np.exp(X)
    return exponents / exponents.sum(1, keepdims=True)
for _ in range(10):
    with autograd.record():
        guess = softmax(np.dot(X.reshape((-1, W.shape[0])), W) + b)
        loss = -np.log(guess[[0, 1, 2, 3], y])
    loss.backward()
    for param in (W, b):
        param -= 0.5 * param.grad
accuracy = float((guess.argmax(axis=1).astype(y.dtype) == y).astype(y.dtype).sum()) / len(y)
"""

_CORRELATION = """
def corr2d(X, K):
    h, w = K.shape
    Y = np.zeros((X.shape[0] - h + 1, X.shape[1] - w + 1))
    for i in range(Y.shape[0]):
        for j in range(Y.shape[1]):
            Y[i, j] = (X[i : i + h, j : j + w] * K).sum()
    return Y
X = np.ones((4, 6))
X[:, 2:4] = 0
Y = corr2d(X, np.array([[1, -1]]))
pooled = np.zeros((2, 3))
for i in range(2):
    for j in range(3):
        pooled[i, j] = X[2 * i : 2 * i + 2, 2 * j : 2 * j + 2].max()
"""

_RECURRENT = """
def step(state, X, W_xh, W_hh, b_h):
    return np.tanh(np.dot(X, W_xh) + np.dot(state, W_hh) + b_h)
inputs = npx.one_hot(np.array([[0, 2], [1, 1], [2, 0]]), 3)
W_xh, W_hh, b_h = np.ones((3, 4)) / 4, np.eye(4) / 2, np.zeros(4)
for param in (W_xh, W_hh, b_h):
    param.attach_grad()
state = np.zeros((2, 4))
with autograd.record():
    outputs = []
    for X in inputs:
        state = step(state, X, W_xh, W_hh, b_h)
        outputs.append(state)
    result = np.concatenate(outputs, axis=0)
    loss = result.mean()
loss.backward()
norm = math.sqrt(sum((param.grad ** 2).sum() for param in (W_xh, W_hh, b_h)))
"""

_ATTENTION = """
queries, keys = np.ones((2, 1, 2)) / 2, np.arange(20).reshape(2, 5, 2) / 20
values = np.arange(40).reshape(1, 10, 4)[:, :5].repeat(2, axis=0)
scores = npx.batch_dot(queries, keys, transpose_b=True) / math.sqrt(2)
lengths = np.array([2, 4])
masked = npx.sequence_mask(scores.reshape(-1, 5), lengths, True, value=-1e6, axis=1)
weights = npx.softmax(masked).reshape(scores.shape)
result = npx.batch_dot(weights, values)
"""

_BATCH_NORM = """
X = np.arange(24).reshape(2, 3, 2, 2) / 10
gamma, beta, eps = np.ones((1, 3, 1, 1)), np.zeros((1, 3, 1, 1)), 1e-5
mean = X.mean(axis=(0, 2, 3), keepdims=True)
var = ((X - mean) ** 2).mean(axis=(0, 2, 3), keepdims=True)
Y = gamma * (X - mean) / np.sqrt(var + eps) + beta
"""

_BOXES = """
boxes = np.array([[0.1, 0.1, 0.5, 0.5], [0.2, 0.2, 0.6, 0.6], [0.7, 0.7, 0.9, 0.9]])
area = lambda b: (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])
upper = np.maximum(boxes[:, None, :2], boxes[:, :2])
lower = np.minimum(boxes[:, None, 2:], boxes[:, 2:])
inters = (lower - upper).clip(min=0)
shared = inters[:, :, 0] * inters[:, :, 1]
iou = shared / (area(boxes)[:, None] + area(boxes) - shared)
kept = np.nonzero(iou[0] <= 0.1)[0]
cx, cy, w, h = ((boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2, boxes[:, 2], boxes[:, 3])
centers = np.stack((cx, cy, w, h), axis=-1)
"""

_POSITIONS = """
P = np.zeros((1, 4, 6))
X = np.arange(0, 4).reshape(-1, 1) / np.power(10000, np.arange(0, 6, 2) / 6)
P[:, :, 0::2] = np.sin(X)
P[:, :, 1::2] = np.cos(X)
"""

_GRADIENT_DESCENT = """
x = np.array([-2.0, -1.0])
x.attach_grad()
trail = []
for _ in range(5):
    with autograd.record():
        y = x[0] ** 2 + 2 * x[1] ** 2 + np.dot(x, x)
    y.backward()
    x -= 0.1 * x.grad
    trail.append(x.copy())
"""

_DROPOUT = """
X = np.arange(16).reshape(2, 8)
mask = np.random.uniform(0, 1, X.shape) > 2
Y = mask.astype(np.float32) * X / (1.0 - 0.5)
"""

_MATRIX = NUMPY + "import math\nA = np.arange(20).reshape(5, 4)\nB = A.copy()\n"

ENTRIES: list[Entry] = [
    *group(NUMPY + _LINEAR_REGRESSION, "w", "b", "loss", "w.grad", exact=False),
    *group(NUMPY + _SOFTMAX_REGRESSION, "guess", "W", "accuracy", "loss.mean().item()", exact=False),
    *group(NUMPY + _CORRELATION, "Y", "pooled"),
    *group(NUMPY + "import math\n" + _RECURRENT, "result", "loss", "norm", "W_hh.grad", "b_h.grad", exact=False),
    *group(NUMPY + "import math\n" + _ATTENTION, "result", "weights", exact=False),
    *group(NUMPY + _BATCH_NORM, "Y", "mean", "var", exact=False),
    *group(NUMPY + _BOXES, "iou", "kept", "centers", exact=False),
    *group(NUMPY + _POSITIONS, "P", exact=False),
    *group(NUMPY + _GRADIENT_DESCENT, "trail", "y", exact=False),
    *group(NUMPY + _DROPOUT, "Y"),
    *group(
        _MATRIX,
        *("A.T", "A == B", "A * B", "2 + A", "(2 * A).shape", "A.sum()", "A.sum(axis=0)", "A.sum(axis=[0, 1])"),
        *("A.mean()", "A.sum() / A.size", "A.mean(axis=0)", "A.sum(axis=1, keepdims=True)", "A.cumsum(axis=0)"),
        *("A / A.sum(axis=1, keepdims=True)", "np.dot(A, np.ones(4))", "np.dot(A.T, B)", "A.size", "len(A)"),
        *("np.abs(np.array([3, -4])).sum()", "A[3]", "A[1, 3]", "A[-1, -2].item()", "np.ones((4, 9)).sum().item()"),
    ),
    *group(_MATRIX, "np.linalg.norm(np.array([3, -4]))", "np.linalg.norm(np.ones((4, 9)))", exact=False),
]
