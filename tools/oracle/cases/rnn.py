"""Cases of the recurrent operator: every kind of cell, small."""

from typing import Any

from ..case import Case, Input, array, case, uniform, zeros

GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}
INPUT, STATE, BATCH = 3, 2, 2


def network(mode: str, layers: int = 1, both: bool = False, time: int = 3, dtype: str = "float32", **more: Any) -> Case:
    """A case with random inputs of the right shapes."""
    sides = 2 if both else 1
    rows = sides * GATES[mode] * STATE
    length = rows * (INPUT + STATE + 2) + (layers - 1) * rows * (sides * STATE + STATE + 2)
    state = (sides * layers, BATCH, STATE)
    inputs = [uniform(time, BATCH, INPUT, dtype=dtype), uniform(length, dtype=dtype), uniform(*state, dtype=dtype)]
    if mode == "lstm":
        inputs.append(uniform(*state, dtype=dtype))
    if both:
        more["bidirectional"] = True
    return case("RNN", *inputs, mode=mode, state_size=STATE, num_layers=layers, **more)


def gru(*inputs: Input, **more: Any) -> Case:
    """A case that MXNet refuses, unless told otherwise; inputs left out are right."""
    right = (uniform(3, 2, 3), uniform(42), uniform(1, 2, 2))
    chosen = (*inputs, *right[len(inputs) :])
    return case("RNN", *chosen, **{"mode": "gru", "state_size": 2, "num_layers": 1, "error": True, **more})


CASES = [
    *(
        network(mode, layers, both, state_outputs=outputs)
        for mode in GATES
        for layers in (1, 2)
        for both in (False, True)
        for outputs in (False, True)
    ),
    *(network(mode, 3, True, state_outputs=True) for mode in GATES),
    # One layer: with more, the gradients that MXNet finds in float64 change from run to run.
    *(network(mode, 1, True, dtype="float64", state_outputs=True) for mode in ("rnn_tanh", "lstm", "gru")),
    # MXNet computes this one in float32.
    network("rnn_relu", 1, True, dtype="float64", state_outputs=True, tolerance=(1e-5, 1e-6)),
    *(network(mode, 2, time=1, train=True, state_outputs=True) for mode in GATES),
    *(network(mode, 2, p=0.5) for mode in GATES),
    *(network(mode, 1, True, p=0.5, train=True) for mode in GATES),
    network("lstm", 2, state_outputs=True, head_outputs=(0,)),
    network("lstm", 2, state_outputs=True, head_outputs=(2,)),
    network("gru", 1, True, state_outputs=True, head_outputs=(1,)),
    # Lengths equal to the time: MXNet's CPU kernels do not read them, so others would prove nothing.
    network("lstm", 2, True, sequence_length=array([3, 3], dtype="int32"), use_sequence_length=True),
    network("rnn_relu", 2, True, sequence_length=array([3, 3], dtype="int32"), use_sequence_length=True),
    gru(
        uniform(3, 2, 3),
        uniform(42),
        uniform(1, 2, 2),
        array([3, 3], dtype="int32"),
        use_sequence_length=True,
        error=False,
    ),
    gru(uniform(3, 2)),
    gru(uniform(3, 2, 3), uniform(41)),
    gru(uniform(3, 2, 3), uniform(42, 1)),
    gru(uniform(3, 2, 3), uniform(42, dtype="float64")),
    gru(uniform(3, 2, 3), uniform(42), uniform(1, 1, 2)),
    gru(uniform(3, 2, 3), uniform(42), uniform(2, 2)),
    gru(uniform(3, 2, 3), uniform(42), uniform(1, 2, 2), uniform(1, 2, 2)),
    gru(zeros(3, 2, 3, dtype="int32"), zeros(42, dtype="int32"), zeros(1, 2, 2, dtype="int32")),
    gru(p=1.5),
    gru(mode="elman"),
    gru(use_sequence_length=True),
    gru(use_sequence_length=True, sequence_length=array([1, 2, 3])),
    gru(sequence_length=array([1, 2])),
    gru(uniform(3, 2, 3), uniform(56), mode="lstm"),
]
