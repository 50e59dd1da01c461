"""Event files, which TensorBoard shows: written by torch's writer, for packages that do not know torch."""

from typing import Any

__all__ = ["graph_event", "writer_class"]

Node = tuple[str, str, list[str]]  # name, operator, and the names of its inputs


def writer_class(who: str) -> Any:
    """`torch.utils.tensorboard.SummaryWriter`, which needs the package tensorboard.

    Args:
        who: what needs it, for the text of the error if it is not installed.
    """
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise ImportError(
            f"[{who}] event files are written by the package tensorboard, which is not installed: "
            "`pip install 'regluon[tensorboard]'`."
        ) from None
    return SummaryWriter


def graph_event(nodes: list[Node]) -> Any:
    """A network as an event, for `SummaryWriter.file_writer.add_event`."""
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.graph_pb2 import GraphDef
    from tensorboard.compat.proto.node_def_pb2 import NodeDef

    graph = GraphDef(node=[NodeDef(name=name, op=operator, input=inputs) for name, operator, inputs in nodes])
    return Event(graph_def=graph.SerializeToString())
