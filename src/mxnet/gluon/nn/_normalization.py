"""Normalization: over a batch, an instance, a layer, groups of channels."""

from typing import TYPE_CHECKING, Any

from regluon.dtypes import dtype_name
from regluon.operators import Operators

from .._block_inputs import BlockOptions
from ._arguments import listed
from ._containers import Layer

if TYPE_CHECKING:
    from typing_extensions import Unpack


__all__ = ["BatchNorm", "BatchNormReLU", "GroupNorm", "InstanceNorm", "LayerNorm"]


class _BatchNorm(Layer):
    """What batch normalization with and without an activation have in common; see BatchNorm."""

    def __init__(
        self,
        axis: int = 1,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        use_global_stats: bool = False,
        fuse_relu: bool = False,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        running_mean_initializer: Any = "zeros",
        running_variance_initializer: Any = "ones",
        in_channels: int = 0,
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        super().__init__(prefix, params)
        self._kwargs: dict[str, Any] = {
            "axis": axis,
            "eps": epsilon,
            "momentum": momentum,
            "fix_gamma": not scale,
            "use_global_stats": use_global_stats,
        }
        self.fuse_relu = fuse_relu
        if in_channels != 0:
            self.in_channels = in_channels
        self.gamma = self._of_channels("gamma", in_channels, gamma_initializer, scale)
        self.beta = self._of_channels("beta", in_channels, beta_initializer, center)
        self.running_mean = self._of_channels("running_mean", in_channels, running_mean_initializer, False)
        self.running_var = self._of_channels("running_var", in_channels, running_variance_initializer, False)

    def _of_channels(self, name: str, channels: int, init: Any, learned: bool) -> Any:
        return self.params.get(
            name,
            grad_req="write" if learned else "null",
            shape=(channels,),
            init=init,
            allow_deferred_init=True,
            differentiable=learned,
        )

    def cast(self, dtype: Any) -> None:
        """Converts the parameters to another dtype; for float16 they stay in float32, as the operator wants them."""
        super().cast("float32" if dtype_name(dtype) == "float16" else dtype)

    def hybrid_forward(self, F: Operators, x: Any, gamma: Any, beta: Any, running_mean: Any, running_var: Any) -> Any:
        """Normalizes, and in training moves the running averages."""
        operator = F.contrib.BatchNormWithReLU if self.fuse_relu else F.BatchNorm
        return operator(x, gamma, beta, running_mean, running_var, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({listed(self._kwargs)}, in_channels={self.gamma.shape[0] or None})"


class BatchNorm(_BatchNorm):
    """Batch normalization: gives every channel the mean `beta` and the deviation `gamma`.

    In training the batch tells mean and variance, and running averages remember them; prediction uses those.

    Args:
        axis: where the channels are.
        momentum: how much of the old average an update keeps.
        epsilon: added to the variance.
        center: whether beta is learned; otherwise it stays.
        scale: whether gamma is learned; otherwise it counts as 1.
        use_global_stats: whether training uses the running averages too, and leaves them alone.
        beta_initializer: initializer of beta.
        gamma_initializer: initializer of gamma.
        running_mean_initializer: initializer of the average mean.
        running_variance_initializer: initializer of the average variance.
        in_channels: number of channels; found from the first data if 0.
        kwargs: `prefix` and `params`, see Block.

    Example:
        >>> net = nn.BatchNorm()
        >>> net.initialize()
        >>> with autograd.record():  # only training normalizes by the batch itself
        ...     y = net(nd.array([[1, 10], [3, 30]]))
        >>> y.asnumpy().round(2)
        array([[-1., -1.],
               [ 1.,  1.]], dtype=float32)
    """

    __module__ = "mxnet.gluon.nn.basic_layers"

    def __init__(
        self,
        axis: int = 1,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        use_global_stats: bool = False,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        running_mean_initializer: Any = "zeros",
        running_variance_initializer: Any = "ones",
        in_channels: int = 0,
        **kwargs: "Unpack[BlockOptions]",
    ) -> None:
        super().__init__(
            axis,
            momentum,
            epsilon,
            center,
            scale,
            use_global_stats,
            False,
            beta_initializer,
            gamma_initializer,
            running_mean_initializer,
            running_variance_initializer,
            in_channels,
            **kwargs,
        )


class BatchNormReLU(_BatchNorm):
    """Batch normalization followed by max(x, 0); arguments as those of BatchNorm."""

    __module__ = "mxnet.gluon.nn.basic_layers"

    def __init__(
        self,
        axis: int = 1,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        use_global_stats: bool = False,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        running_mean_initializer: Any = "zeros",
        running_variance_initializer: Any = "ones",
        in_channels: int = 0,
        **kwargs: "Unpack[BlockOptions]",
    ) -> None:
        super().__init__(
            axis,
            momentum,
            epsilon,
            center,
            scale,
            use_global_stats,
            True,
            beta_initializer,
            gamma_initializer,
            running_mean_initializer,
            running_variance_initializer,
            in_channels,
            **kwargs,
        )


class _Norm(Layer):
    """A normalization of each sample by itself, with a factor and a shift to learn."""

    def __init__(
        self,
        length: int,
        epsilon: float,
        center: bool,
        scale: bool,
        beta_initializer: Any,
        gamma_initializer: Any,
        prefix: str | None,
        params: Any,
    ) -> None:
        super().__init__(prefix, params)
        self._epsilon, self._center, self._scale = epsilon, center, scale
        self._kwargs: dict[str, Any] = {}
        self.gamma = self._of_length("gamma", length, gamma_initializer, scale)
        self.beta = self._of_length("beta", length, beta_initializer, center)

    def _of_length(self, name: str, length: int, init: Any, learned: bool) -> Any:
        grad_req = "write" if learned else "null"
        return self.params.get(name, grad_req=grad_req, shape=(length,), init=init, allow_deferred_init=True)

    def _note(self, **key: Any) -> None:
        """Notes the arguments in the order they are printed in."""
        self._kwargs.update(eps=self._epsilon, **key, center=self._center, scale=self._scale)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({listed(self._kwargs)}, in_channels={self.gamma.shape[0]})"


class InstanceNorm(_Norm):
    """Normalizes every channel of every sample by itself.

    Args:
        axis: where the channels are.
        epsilon: added to the variance.
        center: whether beta is learned.
        scale: whether gamma is learned.
        beta_initializer: initializer of beta.
        gamma_initializer: initializer of gamma.
        in_channels: number of channels; found from the first data if 0.
        prefix: see Block.
        params: see Block.
    """

    __module__ = "mxnet.gluon.nn.basic_layers"

    def __init__(
        self,
        axis: int = 1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = False,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        in_channels: int = 0,
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        super().__init__(in_channels, epsilon, center, scale, beta_initializer, gamma_initializer, prefix, params)
        self._axis = axis
        self._note(axis=axis)

    def hybrid_forward(self, F: Operators, x: Any, gamma: Any, beta: Any) -> Any:
        """Normalizes."""
        if self._axis == 1:
            return F.InstanceNorm(x, gamma, beta, name="fwd", eps=self._epsilon)
        x = F.swapaxes(x, dim1=1, dim2=self._axis)
        return F.swapaxes(F.InstanceNorm(x, gamma, beta, name="fwd", eps=self._epsilon), dim1=1, dim2=self._axis)


class LayerNorm(_Norm):
    """Normalizes along one axis.

    Args:
        axis: which axis.
        epsilon: added to the variance.
        center: whether beta is learned.
        scale: whether gamma is learned.
        beta_initializer: initializer of beta.
        gamma_initializer: initializer of gamma.
        in_channels: length of the axis; found from the first data if 0.
        prefix: see Block.
        params: see Block.

    Example:
        >>> net = nn.LayerNorm()
        >>> net.initialize()
        >>> net(nd.array([[1, 2, 3], [10, 20, 30]])).asnumpy().round(2)
        array([[-1.22,  0.  ,  1.22],
               [-1.22,  0.  ,  1.22]], dtype=float32)
    """

    __module__ = "mxnet.gluon.nn.basic_layers"

    def __init__(
        self,
        axis: int = -1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        in_channels: int = 0,
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        super().__init__(in_channels, epsilon, center, scale, beta_initializer, gamma_initializer, prefix, params)
        self._axis = axis
        self._note(axis=axis)

    def hybrid_forward(self, F: Operators, data: Any, gamma: Any, beta: Any) -> Any:
        """Normalizes."""
        return F.LayerNorm(data, gamma, beta, axis=self._axis, eps=self._epsilon)


class GroupNorm(_Norm):
    """Normalizes groups of channels of each sample.

    Args:
        num_groups: number of groups; each has one factor and one shift.
        epsilon: added to the variance.
        center: whether beta is learned.
        scale: whether gamma is learned.
        beta_initializer: initializer of beta.
        gamma_initializer: initializer of gamma.
        prefix: see Block.
        params: see Block.
    """

    __module__ = "mxnet.gluon.nn.basic_layers"

    def __init__(
        self,
        num_groups: int = 1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        super().__init__(num_groups, epsilon, center, scale, beta_initializer, gamma_initializer, prefix, params)
        self._num_groups = num_groups
        self._note(num_groups=num_groups)

    def hybrid_forward(self, F: Operators, data: Any, gamma: Any, beta: Any) -> Any:
        """Normalizes."""
        return F.GroupNorm(data, gamma, beta, num_groups=self._num_groups, eps=self._epsilon)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({listed(self._kwargs)})"
