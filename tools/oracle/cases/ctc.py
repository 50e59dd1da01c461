"""Cases of the loss of connectionist temporal classification."""

from ..case import array, case, integers, normal, uniform

LABELS = array([[1, 2], [2, 0]])
LAST = {"blank_label": "last"}

CASES = [
    case("CTCLoss", normal(4, 2, 3), LABELS),
    case("CTCLoss", normal(6, 3, 5), array([[1, 1, 4], [3, 2, 0], [2, 0, 0]])),
    case("CTCLoss", normal(3, 1, 4, scale=5), array([[3, 3]])),
    case("CTCLoss", normal(4, 2, 3), array([[0, 0], [2, 0]])),
    case("CTCLoss", normal(4, 2, 3), array([[1, 0, 2], [2, 2, 0]])),
    case("CTCLoss", normal(4, 2, 3), array([[1, 2], [2, 0]], dtype="int32")),
    case("CTCLoss", normal(4, 2, 3), array([[1.3, 1.7], [2, 0.3]])),
    case("CTCLoss", normal(4, 2, 3), array([[0, 1], [1, -1]]), **LAST),
    case("CTCLoss", normal(5, 2, 4), array([[-1, -1], [0, 0]]), **LAST),
    case("CTCLoss", normal(4, 2, 3), array([[0, -1, 1], [1, 1, -1]], dtype="int32"), **LAST),
    case("CTCLoss", normal(4, 2, 3), LABELS, array([3, 4]), use_data_lengths=True, no_grad=(1, 2)),
    case("CTCLoss", normal(4, 2, 3), LABELS, array([0, 4]), use_data_lengths=True, no_grad=(1, 2)),
    case("CTCLoss", normal(4, 2, 3), array([[1, 2], [2, 1]]), label_lengths=array([2, 1]), use_label_lengths=True),
    case("CTCLoss", normal(4, 2, 3), array([[1, 2], [2, 0]]), label_lengths=array([2, 0]), use_label_lengths=True),
    case(
        "CTCLoss",
        normal(5, 2, 4),
        array([[0, 1], [2, 0]]),
        array([4, 5]),
        array([2, 1]),
        use_data_lengths=True,
        use_label_lengths=True,
        **LAST,
    ),
    case("CTCLoss", normal(4, 2, 3), array([[1, 2], [2, 1]]), array([2, 1]), use_label_lengths=True, no_grad=(1, 2)),
    # Not alignable in time: the loss is zero; MXNet leaves the gradient unwritten.
    case("CTCLoss", normal(4, 2, 3), array([[1, 1, 1], [2, 0, 0]]), grad=False),
    case("_contrib_ctc_loss", normal(4, 2, 3), LABELS),
    case("CTCLoss", uniform(4, 3), LABELS, error=True),
    case("CTCLoss", uniform(4, 2, 3), array([1, 2]), error=True),
    case("CTCLoss", uniform(4, 2, 3), integers(3, 2, low=1, high=3), error=True),
    case("CTCLoss", uniform(1, 2, 3), LABELS, error=True),
    case("CTCLoss", uniform(4, 2, 3), LABELS, array([3, 4]), error=True),
    case("CTCLoss", uniform(4, 2, 3), LABELS, use_data_lengths=True, error=True),
    case("CTCLoss", uniform(4, 2, 3), LABELS, array([3, 4, 4]), use_data_lengths=True, error=True),
    case("CTCLoss", uniform(4, 2, 3), LABELS, label_lengths=array([1]), use_label_lengths=True, error=True),
    case("CTCLoss", integers(4, 2, 3), LABELS, error=True),
]
