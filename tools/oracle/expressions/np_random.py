"""Random numbers of `mx.np` and `mx.npx`: shapes, dtypes, and values that are certain."""

from tools.oracle.expressions import NUMPY, Entry, group

_A = NUMPY + "v = np.array([1, 2, 3])\nr = np.random\n"
_CALLS = (
    *("uniform", "normal", "logistic", "gumbel", "rayleigh", "exponential", "lognormal"),
    *("rand", "randn"),
)

ENTRIES: list[Entry] = [
    *group(_A, *(f"(lambda x: (x.shape, x.dtype, type(x).__name__))(r.{name}())" for name in _CALLS)),
    *group(
        _A,
        *(
            f"(lambda x: (x.shape, x.dtype))(r.{call})"
            for call in (
                *("uniform(size=3)", "uniform(0, 1, (2, 3))", "uniform(v, 5)", "uniform(0, v)", "uniform(v, v + 1)"),
                *(
                    "uniform(v, v + 1, size=(2, 3))",
                    "uniform(size=())",
                    "uniform(0, 1, 2, 'float64')",
                    "rand(2, 3)",
                    "randn(2)",
                ),
                *(
                    "normal(0, 1, (2, 2))",
                    "normal(v, 1)",
                    "normal(0, v)",
                    "normal(size=2, dtype='float16')",
                    "normal(v, v)",
                ),
                *(
                    "normal(loc=v, scale=0.1, size=(4, 3))",
                    "lognormal(0, 1, 3)",
                    "logistic(v, 1)",
                    "gumbel(0, 1, (2,))",
                ),
                *(
                    "rayleigh(v)",
                    "rayleigh(2, (2,))",
                    "exponential(v)",
                    "exponential(1, 3)",
                    "weibull(v)",
                    "weibull(2, 3)",
                ),
                *(
                    "pareto(v)",
                    "pareto(2, (2, 1))",
                    "power(v)",
                    "power(2, 3)",
                    "gamma(v)",
                    "gamma(2, 1, 3)",
                    "gamma(v, v)",
                ),
                *(
                    "gamma(2, 1, 3, 'float64')",
                    "beta(1, 2, 3)",
                    "beta(v, v)",
                    "chisquare(3, 4)",
                    "chisquare(v)",
                    "randint(5)",
                ),
                *(
                    "randint(0, 5, (2, 3))",
                    "randint(5, size=3)",
                    "randint(5, size=3, dtype='int32')",
                    "choice(5)",
                    "choice(5, 3)",
                ),
                *("choice(5, (2, 2))", "choice(v)", "choice(v, 2)", "choice(5, 3, False)", "choice(3, 2, True, v / 6)"),
                *(
                    "multinomial(5, [0.5, 0.5])",
                    "multinomial(5, v / 6)",
                    "multinomial(5, [0.5, 0.5], 3)",
                    "uniform(1, 2, 0)",
                ),
                "multivariate_normal(np.zeros((2,)), np.eye(2))",
                "multivariate_normal(np.zeros((2,)), np.eye(2), 3)",
                "multivariate_normal(np.zeros((3, 2)), np.eye(2), (4,))",
                *(
                    "uniform(size=2, ctx=mx.cpu(0))",
                    "uniform(size='a')",
                    "choice(5, 9, False)",
                    "randint(5, 2)",
                    "normal(0, -1)",
                ),
            )
        ),
        "r.choice(1, 3)",
        "r.randint(3, 4, (2,))",
        "r.multinomial(5, [1.0, 0.0])",
        "r.multinomial(5, np.array([0.0, 1.0]))",
        "r.multinomial(5, onp.array([0.5, 0.5]))",
        "r.multinomial(5, [[0.5], [0.5]])",
        "r.uniform(3, 3, 2)",
        "r.normal(5, 0, 2)",
        "r.uniform(size=2, ctx=mx.cpu(1)).ctx",
        "r.uniform(out=np.zeros((2,))).shape",
        "sorted(r.choice(5, 5, replace=False).tolist())",
        "r.multivariate_normal(np.zeros((2,)), np.eye(2), check_valid='raise').shape",
        *(
            f"(lambda x: (x.shape, x.dtype))(npx.random.{call})"
            for call in (
                *(
                    "bernoulli(0.5)",
                    "bernoulli(0.5, size=3)",
                    "bernoulli(v / 4)",
                    "bernoulli(logit=v)",
                    "bernoulli(logit=0.1)",
                ),
                *(
                    "bernoulli(0.5, size=(2, 2), dtype='int32')",
                    "bernoulli()",
                    "bernoulli(0.5, 0.5)",
                    "bernoulli(0.5, dtype='bool')",
                ),
                *(
                    "uniform_n(0, 1)",
                    "uniform_n(0, 1, (2,))",
                    "uniform_n(v, v + 1, (2,))",
                    "normal_n(0, 1, (2, 3))",
                    "normal_n(v, 1, 4)",
                ),
            )
        ),
        "npx.random.bernoulli(1, size=3)",
        "npx.random.bernoulli(0, size=3)",
    ),
    *group(
        _A + "npx.random.seed(1)\nfirst = r.uniform(size=5)\nnpx.random.seed(1)\nsecond = r.uniform(size=5)\n",
        "bool((first == second).all())",
        "bool((first < 1).all() * (first >= 0).all())",
    ),
    *group(_A + "x = np.arange(10)\nr.shuffle(x)\n", "sorted(x.tolist())", "x.shape"),
    *group(_A + "x = np.arange(10).reshape(5, 2)\nr.shuffle(x)\n", "sorted(x.tolist())"),
]
