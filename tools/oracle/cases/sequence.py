"""Cases of the operators on sequences of different lengths."""

from ..case import array, case, integers, uniform

LENGTHS = array([1, 3])

CASES = [
    case("SequenceMask", uniform(3, 2, 2)),
    case("SequenceMask", uniform(3, 2, 2), LENGTHS, use_sequence_length=True),
    case("SequenceMask", uniform(3, 2), sequence_length=LENGTHS, use_sequence_length=True, value=-1.5),
    case("SequenceMask", uniform(2, 3, 2), array([0, 2], dtype="int32"), use_sequence_length=True, axis=1),
    case("SequenceMask", uniform(3, 2, dtype="float64"), array([0, 5]), use_sequence_length=True),
    case("SequenceMask", uniform(3, 2), array([1.9, 2.5]), use_sequence_length=True),
    case("SequenceMask", integers(3, 2, dtype="uint8"), LENGTHS, use_sequence_length=True, value=-1.5, grad=False),
    case("SequenceMask", uniform(3, 2), LENGTHS, error=True),
    case("SequenceMask", uniform(3, 2), use_sequence_length=True, error=True),
    case("SequenceMask", uniform(3, 2, 2), LENGTHS, use_sequence_length=True, axis=2, error=True),
    case("SequenceMask", uniform(3, 2), array([1, 2, 3]), use_sequence_length=True, error=True),
    case("SequenceMask", uniform(3), error=True),
    case("SequenceLast", uniform(3, 2, 2), grad=False),  # MXNet crashes in backward
    case("SequenceLast", uniform(3, 2, 2), LENGTHS, use_sequence_length=True),
    case("SequenceLast", uniform(3, 2, dtype="float64"), array([1, 2], dtype="int64"), use_sequence_length=True),
    case("SequenceLast", uniform(2, 3, 2), LENGTHS, use_sequence_length=True, axis=1),
    case("SequenceLast", uniform(3, 2), axis=1, grad=False),
    case("SequenceLast", integers(3, 2), array([1.9, 2.5]), use_sequence_length=True, grad=False),
    case("SequenceLast", uniform(3, 2), LENGTHS, error=True),
    case("SequenceLast", uniform(3, 2), array([1, 2, 3]), use_sequence_length=True, error=True),
    case("SequenceLast", uniform(3, 2), axis=-1, error=True),
    case("SequenceLast", uniform(3), error=True),
    case("SequenceReverse", uniform(3, 2, 2)),
    case("SequenceReverse", uniform(3, 2, 2), LENGTHS, use_sequence_length=True),
    case("SequenceReverse", uniform(4, 2, dtype="float64"), array([0, 2], dtype="int32"), use_sequence_length=True),
    case("SequenceReverse", integers(3, 2, dtype="uint8"), array([2.9, 1]), use_sequence_length=True, grad=False),
    case("SequenceReverse", uniform(3, 2), LENGTHS, error=True),
    case("SequenceReverse", uniform(3, 2), array([1, 2, 3]), use_sequence_length=True, error=True),
    case("SequenceReverse", uniform(2, 3), axis=1, error=True),
    case("SequenceReverse", uniform(3), error=True),
]
