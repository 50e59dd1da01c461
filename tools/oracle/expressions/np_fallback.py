"""The functions of `mx.np` that the official NumPy carries out."""

from tools.oracle.expressions import NUMPY, Entry, group

_A = NUMPY + (
    "a = np.array([[1, 4], [3, 2]])\nv = np.array([3, 1, 2])\nn = np.array([np.nan, 1, 3])\n"
    "i = np.array([0, 1, 0], dtype='int64')\nu = np.array([2, 7], dtype='uint8')\n"
)

ENTRIES: list[Entry] = [
    *group(
        _A,
        *("np.allclose(v, v)", "np.allclose(v, v + 1)", "np.alltrue(v)", "np.apply_along_axis(onp.sum, 0, a)"),
        *(
            "np.apply_over_axes(onp.sum, a, [0, 1])",
            "np.argpartition(v, 1)[1]",
            "np.argwhere(a > 2)",
            "np.array_equal(v, v)",
        ),
        *("np.array_equiv(v, v)", "np.choose(i, [v, v + 5, v])", "np.compress(onp.array([True, False, True]), v)"),
        *(
            "np.correlate(v, v)",
            "np.count_nonzero(a)",
            "np.count_nonzero(a, axis=0)",
            "np.digitize(v, np.array([1, 2, 3]))",
        ),
        *(
            "np.extract(v > 1, v)",
            "np.flatnonzero(v - 1)",
            "np.histogram_bin_edges(v, 2)",
            "np.in1d(v, np.array([1, 9]))",
        ),
        *(
            "np.interp(1.5, v * 0 + np.array([0, 1, 2]), v)",
            "np.interp(np.array([0.5]), np.array([0, 1]), np.array([0, 10]))",
        ),
        *("np.intersect1d(v, np.array([1, 2, 9]))", "np.isclose(v, v)", "np.isin(v, np.array([1]))", "np.ix_(v, v)"),
        *(
            "np.lexsort((v,))",
            "np.min_scalar_type(5)",
            "np.msort(a)",
            "np.nanargmax(n)",
            "np.nanargmin(n)",
            "np.nancumsum(n)",
        ),
        *(
            "np.nancumprod(n)",
            "np.nanmax(n)",
            "np.nanmin(n)",
            "np.nanmedian(n)",
            "np.nanpercentile(n, 50)",
            "np.nanprod(n)",
        ),
        *(
            "np.nanquantile(n, 0.5)",
            "np.ndim(a)",
            "np.partition(v, 1)[1]",
            "np.piecewise(v, [v > 1], [5, 7])",
            "np.packbits(u)",
        ),
        *(
            "np.polyadd(v, v)",
            "np.polysub(v, v)",
            "np.polymul(v, v)",
            "np.polydiv(v, v)",
            "np.polyint(v)",
            "np.poly(v)",
        ),
        *("np.promote_types('int8', 'float32')", "np.ptp(a, axis=0)", "np.real(v)", "np.result_type('int8', 'int32')"),
        *("np.rollaxis(a, 1)", "np.searchsorted(np.array([1, 2, 3]), 2)", "np.searchsorted(np.array([1, 2, 3]), v)"),
        *(
            "np.select([v > 2, v > 1], [v, v * 10])",
            "np.setdiff1d(v, np.array([1]))",
            "np.setxor1d(v, np.array([1, 7]))",
        ),
        *(
            "np.size(a)",
            "np.trapz(v)",
            "np.trapz(v, dx=2)",
            "np.tril_indices_from(a)",
            "np.triu_indices_from(a)",
            "np.unpackbits(u)",
        ),
        *(
            "np.trim_zeros(np.array([0, 1, 0]))",
            "np.union1d(v, np.array([7]))",
            "np.unwrap(v * 0)",
            "np.vander(v)",
            "np.positive(v)",
        ),
        *(
            "np.signbit(v - 2)",
            "np.divmod(v, 2)",
            "np.modf(v)",
            "np.frexp(v)",
            "np.heaviside(v, 1)",
            "np.spacing(v * 0 + 1)",
        ),
        *(
            "np.polyadd([1, 2], [3])",
            "np.count_nonzero([1, 0])",
            "np.isin([1, 2], [2])",
            "np.ndim(3)",
            "np.npv(0.1, [1])",
        ),
        *(
            "np.mirr([1], 1, 1)",
            "np.pv(1, 1, 1)",
            "np.rate(1, 1, 1, 1)",
            "np.ppmt(1, 1, 1, 1)",
            "np.histogram2d(v, v, 2)[0]",
        ),
    ),
    *group(
        _A,
        "np.i0(v)",
        "np.cov(a)",
        "np.corrcoef(a)",
        "np.polyfit(v, v * 2, 1)",
        "np.roots(v)",
        "np.float_power(v, 0.5)",
        exact=False,
    ),
    *group(
        _A + "v.attach_grad()\nautograd.set_recording(True)\ny = v * 2\n",
        *("np.ptp(y)", "np.polyadd(y, y)", "np.linalg.qr(a)"),
    ),
]
