"""Putting symbols together and taking them apart."""

from tools.oracle.symbols import Entry, each, group

_NET = """
data = sym.var('data')
fc1 = sym.FullyConnected(data, num_hidden=4, name='fc1')
act = sym.Activation(fc1, act_type='relu', name='act')
fc2 = sym.FullyConnected(act, num_hidden=3, name='fc2')
net = sym.SoftmaxOutput(fc2, name='softmax')
"""
_SPLIT = "x = sym.var('x')\ns = sym.split(x, num_outputs=3, name='s')"
_BN = "data = sym.var('data')\nnet = sym.relu(sym.BatchNorm(data, name='bn'), name='r')"

ENTRIES: list[Entry] = [
    *group(
        "lists",
        _NET,
        "net.list_arguments()",
        "net.list_outputs()",
        "net.list_auxiliary_states()",
        "net.list_inputs()",
        "data.list_arguments()",
        "len(net)",
        "net.get_internals().list_outputs()",
        "net.get_internals()['fc1_output'].list_arguments()",
        "net.get_internals()['act_output'].name",
        "net.get_internals()[3].name",
        "net.get_internals()[-1].name",
        "len(net.get_internals())",
        "[child.name for child in net.get_internals()]",
        "net.get_children().list_outputs()",
        "fc1.get_children().list_outputs()",
        "data.get_children()",
        "net.get_children().get_children().list_outputs()",
        "sym.Group([fc1, fc2]).get_children().list_outputs()",
    ),
    *group(
        "auxiliary",
        _BN,
        "net.list_arguments()",
        "net.list_auxiliary_states()",
        "net.list_inputs()",
        "net.get_internals().list_outputs()",
        "net.get_internals().list_auxiliary_states()",
        "net.get_internals()['bn_moving_mean'].list_arguments()",
        "net.get_internals()['bn_moving_mean'].list_auxiliary_states()",
        "net.get_children().list_outputs()",
        "net.get_internals()['bn_output'].get_children().list_outputs()",
        "sym.Group([net, net.get_internals()['bn_moving_var']]).list_auxiliary_states()",
    ),
    *group(
        "picking",
        _SPLIT,
        "len(s)",
        "s[0].list_outputs()",
        "s[2].list_outputs()",
        "s[-1].list_outputs()",
        "s['s_output1'].list_outputs()",
        "[part.list_outputs() for part in s]",
        "len(s[1])",
        "s[1][0].list_outputs()",
        "[part.name for part in s[1]]",
        "s[0:2].list_outputs()",
        "s[1:].list_outputs()",
        "s[::2].list_outputs()",
        "sym.Group([s[2], s[0]]).list_outputs()",
        "(s[0] + s[1]).tojson()",
        "x[0].name",
        "[part.name for part in x]",
        "sym.Group([x, s])[2].list_outputs()",
        "sym.Group([x, s]).list_outputs()",
        "sym.Group([s[1], s[1]]).tojson()",
    ),
    *each(
        "calling",
        "net",
        "f = sym.FullyConnected(num_hidden=2, name='f')\nnet = f(f_data=sym.var('d'))",
        "f = sym.FullyConnected(num_hidden=2, name='f')\nnet = f(f_data=sym.relu(sym.var('d')), f_bias=sym.var('b'))",
        "f = sym.FullyConnected(num_hidden=2, name='f')\nnet = f(f_data=sym.var('d'), f_weight=sym.var('w'))",
        "f = sym.FullyConnected(num_hidden=2, name='f')\nnet = f(f_data=sym.var('d'), name='renamed')",
        "a = sym.FullyConnected(sym.var('x'), num_hidden=2, name='a')\nb = sym.relu(sym.var('z'), name='b')\n"
        "net = b(z=a)",
        "a = sym.FullyConnected(sym.var('x'), num_hidden=2, name='a')\n"
        "b = sym.FullyConnected(sym.var('z'), num_hidden=3, name='b')\nnet = b(z=a, name='c')",
        "b = sym.FullyConnected(sym.var('z'), num_hidden=3, name='b')\nb2 = b(z=sym.var('other'))\nnet = b",
        "b = sym.elemwise_add(sym.var('l'), sym.var('r'), name='b')\nnet = b(l=sym.var('a'), r=sym.var('c'))",
        "b = sym.BatchNorm(sym.var('l'), name='b')\nnet = b(l=sym.relu(sym.var('a'), name='r'))",
        "b = sym.FullyConnected(sym.var('z'), num_hidden=3, name='b')\n"
        "c = sym.FullyConnected(b, num_hidden=3, weight=b.get_internals()['b_weight'], name='c')\n"
        "net = c(b_weight=sym.var('w'))",
        "b = sym.relu(sym.var('z'), name='b')\nb._compose(z=sym.var('w'))\nnet = b",
    ),
    *each(
        "giving",
        "net.list_inputs()",
        "net = sym.FullyConnected(sym.var('d'), sym.var('w'), num_hidden=2, name='f')",
        "net = sym.FullyConnected(sym.var('d'), sym.var('w'), sym.var('b'), num_hidden=2, name='f')",
        "net = sym.FullyConnected(weight=sym.var('w'), data=sym.var('d'), num_hidden=2, name='f')",
        "net = sym.FullyConnected(sym.var('d'), bias=sym.var('b'), num_hidden=2, name='f')",
        "net = sym.FullyConnected(sym.var('d'), sym.var('w'), None, 2, True)",
        "net = sym.FullyConnected(num_hidden=2, name='f')",
        "net = sym.FullyConnected(weight=sym.var('w'), num_hidden=2, name='f')",
        "net = sym.BatchNorm(sym.var('d'), moving_mean=sym.var('m'), name='b')",
        "net = sym.BatchNorm(sym.var('d'), gamma=sym.var('g'), moving_var=sym.var('v'), name='b')",
        "w = sym.var('w')\nnet = sym.FullyConnected(sym.FullyConnected(sym.var('d'), w, num_hidden=2, name='a'), "
        "w, num_hidden=2, name='b')",
        "net = sym.concat(sym.var('a'), sym.var('b'), dim=1)",
        "net = sym.concat(*[sym.var('a'), sym.var('b')], dim=1)",
        "net = sym.add_n(*[sym.var('a'), sym.var('b'), sym.var('c')])",
        "net = sym.ElementWiseSum(sym.var('a'), sym.var('b'))",
        "net = sym.elemwise_add(lhs=sym.var('a'), rhs=sym.var('b'))",
        "net = sym.elemwise_add(sym.var('a'), name='e')",
        "net = sym.relu(name='e')",
        "net = sym.where(sym.var('c'), sym.var('a'), sym.var('b'))",
        "net = sym.Group([sym.var('a'), sym.var('b') + sym.var('a')])",
        "net = sym.Group([sym.Group([sym.var('a')]), sym.var('b')])",
        "net = sym.Concat(sym.var('a'), sym.split(sym.var('b'), num_outputs=2)[0], dim=0)",
        "a = sym.var('a')\nnet = sym.Group([a * 2, a])",
        "net = sym.var('a') + sym.var('a')",
    ),
    *group(
        "copies",
        "import copy\n" + _NET,
        "copy.copy(net).list_arguments()",
        "copy.deepcopy(net).tojson() == net.tojson()",
        "net.__copy__().name",
        "isinstance(copy.deepcopy(net), sym.Symbol)",
        "isinstance(net, mx.symbol.Symbol)",
        "isinstance(net.get_internals(), mx.sym.Symbol)",
        "type(net).__name__",
        "bool(sym.var('a').list_arguments() == ['a'])",
    ),
]
