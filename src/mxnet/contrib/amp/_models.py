"""Networks for prediction in mixed precision, made from networks in float32."""

from collections.abc import Sequence
from typing import Any

from regluon.graph.attributes import read_dtype

from ...context import Context, gpu
from ...gluon import HybridBlock, SymbolBlock
from ...module import BucketingModule
from ...symbol import Symbol
from ._conversion import (
    AmpError,
    Condition,
    Conversion,
    check_conditions,
    check_names,
    list_conditional_fp32_ops,
    list_fp32_ops,
    list_lp16_fp32_ops,
    list_lp16_ops,
    low_precision,
    precisions,
)


def convert_symbol(
    sym: Symbol,
    target_dtype: Any = "float16",
    target_dtype_ops: Sequence[str] | None = None,
    fp32_ops: Sequence[str] | None = None,
    conditional_fp32_ops: Sequence[Condition] | None = None,
    excluded_sym_names: Sequence[str] | None = None,
    data_names: Sequence[str] | None = None,
    cast_optional_params: bool = False,
) -> Symbol:
    """A graph with the casts that make operators run in low precision where the lists say so.

    Args:
        sym: a graph that computes in float32.
        target_dtype: the low precision, 'float16' or 'bfloat16'.
        target_dtype_ops: operators to run in it, in place of `list_lp16_ops`.
        fp32_ops: those to run in float32, in place of `list_fp32_ops`.
        conditional_fp32_ops: those to run in float32 where a parameter has one of some values, in place of
            `list_conditional_fp32_ops`.
        excluded_sym_names: names of nodes that stay in float32.
        data_names: the variables that are data; by default those that no dtype was noted for.
        cast_optional_params: give parameters in low precision, without a cast, where nothing else reads them.
    """
    if not isinstance(sym, Symbol):
        raise AmpError(f"[convert_symbol] sym: received {type(sym).__name__}; expected a Symbol.")
    target = low_precision(target_dtype, "convert_symbol")
    low, single, conditional = _chosen(target, target_dtype_ops, fp32_ops, conditional_fp32_ops)
    excluded = _name_list("excluded_sym_names", excluded_sym_names)
    inputs = sym.list_inputs()
    if data_names is None:
        attrs = sym.attr_dict()
        data_names = [name for name in inputs if "__dtype__" not in attrs.get(name, {})]
    params = set(inputs) - set(_name_list("data_names", data_names))
    by_operator = precisions(target, low, single, conditional)
    conversion = Conversion(sym._heads, target, by_operator, excluded, params, bool(cast_optional_params))
    return Symbol(conversion.run())


def _chosen(target: str, low: Any, single: Any, conditional: Any) -> tuple[list[str], list[str], list[Condition]]:
    """The lists to go by, which must be apart from each other and of operators that there is a choice for."""
    who = "convert_symbol"
    low = list_lp16_ops(target) if low is None else check_names(who, "target_dtype_ops", low)
    single = list_fp32_ops(target) if single is None else check_names(who, "fp32_ops", single)
    defaults = list_conditional_fp32_ops(target)
    conditional = defaults if conditional is None else check_conditions(who, conditional)
    with_condition = [name for name, _, _ in conditional]
    named = {"target_dtype_ops": low, "fp32_ops": single, "conditional_fp32_ops": with_condition}
    pairs = [(a, b) for a in named for b in named if a < b]
    for one, other in pairs:
        common = sorted(set(named[one]) & set(named[other]))
        if common:
            raise AmpError(
                f"[{who}] {one} and {other} both hold {', '.join(common)}; expected each operator in one list."
            )
    allowed = {*list_lp16_ops(target), *list_fp32_ops(target), *list_lp16_fp32_ops(target)}
    allowed.update(name for name, _, _ in defaults)
    illegal = sorted({*low, *single, *with_condition} - allowed)
    if illegal:
        raise AmpError(
            f"[{who}] received {', '.join(illegal)}; expected operators of amp.list_lp16_ops, amp.list_fp32_ops, "
            "amp.list_lp16_fp32_ops or amp.list_conditional_fp32_ops."
        )
    return low, single, conditional


def _name_list(argument: str, given: Any) -> list[str]:
    if given is None:
        return []
    if not isinstance(given, (list, tuple)) or not all(isinstance(name, str) for name in given):
        raise AmpError(f"[convert_symbol] {argument}: received {given!r}; expected a list of names.")
    return list(given)


def convert_model(
    sym: Symbol,
    arg_params: dict[str, Any],
    aux_params: dict[str, Any],
    target_dtype: Any = "float16",
    target_dtype_ops: Sequence[str] | None = None,
    fp32_ops: Sequence[str] | None = None,
    conditional_fp32_ops: Sequence[Condition] | None = None,
    excluded_sym_names: Sequence[str] | None = None,
    cast_optional_params: bool = False,
) -> tuple[Symbol, dict[str, Any], dict[str, Any]]:
    """A checkpoint in mixed precision: graph, parameters and states; see `convert_symbol`.

    Args:
        sym: the graph.
        arg_params: parameters by name; they are cast in place if `cast_optional_params` asks for that.
        aux_params: auxiliary states by name.
        target_dtype: see `convert_symbol` for this and what follows.
        target_dtype_ops: see above.
        fp32_ops: see above.
        conditional_fp32_ops: see above.
        excluded_sym_names: see above.
        cast_optional_params: see above.
    """
    if not isinstance(sym, Symbol):
        raise AmpError(f"[convert_model] sym: received {type(sym).__name__}; expected a Symbol.")
    for argument, given in {"arg_params": arg_params, "aux_params": aux_params}.items():
        if not isinstance(given, dict):
            raise AmpError(f"[convert_model] {argument}: received {type(given).__name__}; expected a dict of arrays.")
    data_names = [name for name in sym.list_inputs() if name not in arg_params and name not in aux_params]
    lists = target_dtype_ops, fp32_ops, conditional_fp32_ops
    sym = convert_symbol(sym, target_dtype, *lists, excluded_sym_names, data_names, cast_optional_params)
    for params in (arg_params, aux_params):
        _cast_arrays(sym, params)
    return sym, arg_params, aux_params


def _cast_arrays(sym: Symbol, arrays: dict[str, Any]) -> None:
    """Gives arrays the dtypes that the graph notes for their variables."""
    attrs = sym.attr_dict()
    for name, array in arrays.items():
        if dtype := read_dtype(attrs.get(name, {})):
            arrays[name] = array.astype(dtype, copy=False)


def convert_hybrid_block(
    block: HybridBlock,
    target_dtype: Any = "float16",
    target_dtype_ops: Sequence[str] | None = None,
    fp32_ops: Sequence[str] | None = None,
    conditional_fp32_ops: Sequence[Condition] | None = None,
    excluded_sym_names: Sequence[str] | None = None,
    ctx: Context = gpu(0),  # noqa: B008  # a constant
    cast_optional_params: bool = False,
) -> SymbolBlock:
    """A block in mixed precision, from one that was hybridized and has run; see `convert_symbol`.

    Args:
        block: the block.
        target_dtype: see `convert_symbol` for this and the lists that follow.
        target_dtype_ops: see above.
        fp32_ops: see above.
        conditional_fp32_ops: see above.
        excluded_sym_names: see above.
        ctx: where to put the parameters: give `ctx=mx.cpu()` where there is no GPU.
        cast_optional_params: see above.
    """
    if not isinstance(block, HybridBlock):
        raise AmpError(f"[convert_hybrid_block] block: received {type(block).__name__}; expected a HybridBlock.")
    graph = block._traced("convert_hybrid_block")
    data = graph.data_symbols()
    names = [str(symbol.name) for symbol in data]
    lists = target_dtype_ops, fp32_ops, conditional_fp32_ops
    symbol, arrays = graph.exported()
    sym = convert_symbol(symbol, target_dtype, *lists, excluded_sym_names, names, cast_optional_params)
    _cast_arrays(sym, arrays)
    made = SymbolBlock(sym, data)
    made.collect_params().load_dict(arrays, ctx=ctx)
    return made


def convert_bucketing_module(
    bucketing_mod: Any,
    target_dtype: Any = "float16",
    target_dtype_ops: Sequence[str] | None = None,
    fp32_ops: Sequence[str] | None = None,
    conditional_fp32_ops: Sequence[Condition] | None = None,
    excluded_sym_names: Sequence[str] | None = None,
    cast_optional_params: bool = False,
) -> BucketingModule:
    """A BucketingModule in mixed precision, from one with parameters; see `convert_symbol`.

    Args:
        bucketing_mod: the module.
        target_dtype: see `convert_symbol` for this and what follows.
        target_dtype_ops: see above.
        fp32_ops: see above.
        conditional_fp32_ops: see above.
        excluded_sym_names: see above.
        cast_optional_params: see above.
    """
    if not isinstance(bucketing_mod, BucketingModule):
        given = type(bucketing_mod).__name__
        raise AmpError(f"[convert_bucketing_module] received {given}; expected a BucketingModule.")
    if not bucketing_mod.params_initialized or not bucketing_mod._buckets:
        raise AmpError("[convert_bucketing_module] the module has no parameters yet. Call bind and init_params first.")
    arg_params, aux_params = (dict(params) for params in bucketing_mod.get_params())
    lists = target_dtype_ops, fp32_ops, conditional_fp32_ops, excluded_sym_names
    symbols = {}
    for key, module in bucketing_mod._buckets.items():
        symbols[key], arg_params, aux_params = convert_model(
            module._symbol, arg_params, aux_params, target_dtype, *lists, cast_optional_params
        )
    options = ("context", "work_load_list", "fixed_param_names", "state_names", "group2ctxs", "compression_params")
    return BucketingModule.load_dict(
        symbols,
        bucketing_mod._sym_gen,
        bucketing_mod._default_bucket_key,
        arg_params,
        aux_params,
        logger=bucketing_mod.logger,
        **{name: getattr(bucketing_mod, f"_{name}") for name in options},
    )
