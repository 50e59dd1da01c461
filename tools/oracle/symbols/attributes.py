"""Attributes of symbols: what is set, inherited, listed."""

from tools.oracle.symbols import Entry, each, group

_SCOPED = """
x = sym.var('x', lr_mult=2)
with mx.AttrScope(ctx_group='one', __mood__='good'):
    a = sym.FullyConnected(x, num_hidden=2, name='a')
    with mx.AttrScope(ctx_group='two'):
        b = sym.BatchNorm(a, name='b')
        v = sym.var('v')
c = sym.relu(b, name='c')
"""

ENTRIES: list[Entry] = [
    *group(
        "scopes",
        _SCOPED,
        "a.list_attr()",
        "b.list_attr()",
        "v.list_attr()",
        "c.list_attr()",
        "c.attr_dict()",
        "a.attr('ctx_group')",
        "a.attr('__ctx_group__')",
        "a.attr('mood')",
        "a.attr('__mood__')",
        "a.attr('num_hidden')",
        "a.attr('nothing')",
        "b.attr_dict()['b_moving_mean']",
        "c",
    ),
    *group(
        "variables",
        "",
        "sym.var('v', attr={'__a__': 'b'}).list_attr()",
        "sym.var('v', shape=(2, 0)).list_attr()",
        "sym.var('v', shape=()).list_attr()",
        "sym.var('v', dtype='float16').list_attr()",
        "sym.var('v', dtype=np.int32).list_attr()",
        "sym.var('v', dtype=np.float32).list_attr()",
        "sym.var('v', lr_mult=0.5, wd_mult=0).list_attr()",
        "sym.var('v', init=mx.init.Zero()).list_attr()",
        "sym.var('v', init='xavier').list_attr()",
        "sym.var('v', init=mx.init.Constant(2.5)).list_attr()",
        "sym.var('v', init=mx.init.Uniform(0.1)).list_attr()",
        "sym.var('v', stype='row_sparse').list_attr()",
        "sym.var('v', stype='csr').list_attr()",
        "sym.var('v', __extra__='1').list_attr()",
        "sym.var('v', attr={'lr_mult': '3'}).list_attr()",
        "sym.var('v', attr={'plain': 'b'}).list_attr()",
        "sym.Variable('v', shape=(1,), lr_mult=1).tojson()",
        "sym.var('v').list_attr()",
        "sym.var('v').attr('__shape__')",
        "sym.var('v', shape=(3,)).attr('shape')",
        "sym.var('v', shape=(3,)).attr('__shape__')",
        "sym.var('v', lr_mult=2).attr('lr_mult')",
        "sym.var('v', attr={'mood': 'x'}).attr_dict()",
    ),
    *group(
        "operators",
        "x = sym.var('x', attr={'__p__': 'q'})",
        "sym.relu(x, attr={'__m__': 'n'}, name='r').list_attr()",
        "sym.relu(x, attr={'m': 'n'}, name='r').list_attr()",
        "sym.FullyConnected(x, num_hidden=2, attr={'lr_mult': '2'}, name='f').attr_dict()",
        "sym.FullyConnected(x, num_hidden=2, attr={'__lr_mult__': '2'}, name='f').attr_dict()",
        "sym.FullyConnected(x, num_hidden=2, lr_mult=2, name='f').attr_dict()",
        "sym.FullyConnected(x, num_hidden=2, __wd_mult__='2', name='f').attr_dict()",
        "sym.Group([x, sym.relu(x, name='r')]).list_attr()",
        "sym.Group([x, sym.relu(x, name='r')]).attr('__p__')",
        "sym.relu(x, name='r').attr_dict()",
        "(x + 1).attr_dict()",
        "sym.Activation(x, act_type='relu', name='act').attr_dict()",
        "sym.Activation(x, act_type='relu', name='act', ctx_group='g').tojson()",
        "sym.Activation(x, act_type='relu', name='act', attr={'force_mirroring': 'True'}).list_attr()",
    ),
    *each(
        "setting",
        "s.list_attr()",
        "s = sym.var('s')\ns._set_attr(lr_mult='2')",
        "s = sym.var('s')\ns._set_attr(__lr_mult__='2', mood='b')",
        "s = sym.relu(sym.var('s'))\ns._set_attr(mood='b')",
        "s = sym.relu(sym.var('s'))\ns._set_attr(__mood__='b')",
        "s = sym.var('s', attr={'__a__': '1'})\ns._set_attr(__a__='2')",
        "s = sym.FullyConnected(sym.var('s'), num_hidden=2)\ns._set_attr(num_hidden='5')",
        "a = sym.var('s')\ns = sym.relu(a)\na._set_attr(__late__='1')\ns = s.get_children()",
    ),
    *each(
        "scope_uses",
        "result",
        "with mx.AttrScope(x='y'):\n    result = mx.AttrScope(z='w').get({'q': '1'})",
        "with mx.AttrScope(__x__='y'):\n    result = sym.var('v', attr={'__x__': 'mine'}).list_attr()",
        "with mx.AttrScope(__x__='y'):\n    result = (sym.var('v') + 1).list_attr()",
        "with mx.AttrScope(x='y'):\n    result = sym.relu(sym.var('v')).list_attr()",
        "scope = mx.AttrScope(__k__='v')\nwith scope:\n    pass\nwith scope:\n    result = sym.var('v').list_attr()",
        "with mx.AttrScope(__a__='1'):\n    with mx.AttrScope(__b__='2'):\n        result = sym.var('v').list_attr()",
        "with mx.AttrScope(__lr_mult__='0.5'):\n    result = sym.BatchNorm(sym.var('v'), name='b').attr_dict()",
    ),
]
