"""Shared memory: both ends of it in one process."""

import numpy as np

from mxnet import nd
from regluon.data.workers import loads
from regluon.data.workers.segments import ForkingPickler, Inbox, Outbox


def test_segments_go_back_and_forth():
    outbox, inbox = Outbox(), Inbox()
    content = [nd.arange(6).reshape((2, 3)), {"x": (np.arange(3), "text")}, np.zeros((0, 2))]
    packet = outbox.pack(content)
    assert (packet.segment, packet.dropped) == (1, ())
    assert packet.fresh is not None
    found = inbox.unpack(packet)
    assert found[0].asnumpy().tolist() == [[0, 1, 2], [3, 4, 5]]
    assert found[1]["x"][0].tolist() == [0, 1, 2]
    assert found[2].shape == (0, 2)
    assert inbox.released == [1]
    outbox.release(inbox.released)
    again = outbox.pack([nd.ones(3)])
    assert (again.segment, again.fresh) == (1, None)
    assert inbox.unpack(again)[0].asnumpy().tolist() == [1, 1, 1]
    # What was taken out before has memory of its own.
    assert found[0].asnumpy().tolist() == [[0, 1, 2], [3, 4, 5]]


def test_segments_that_are_too_short_are_given_up():
    outbox, inbox = Outbox(), Inbox()
    for size in (10, 2000, 3000):
        packet = outbox.pack(nd.ones(size))
        assert inbox.unpack(packet).shape == (size,)
        outbox.release([packet.segment])
    assert (packet.segment, packet.dropped) == (3, (2,))
    assert list(inbox._segments) == [3]


def test_without_arrays_there_is_no_segment():
    outbox, inbox = Outbox(), Inbox()
    packet = outbox.pack(["text", 3])
    assert packet.segment is None
    assert inbox.unpack(packet) == ["text", 3]
    assert inbox.released == []


def test_views_travel_without_what_they_are_part_of():
    large = nd.zeros((1000, 10))
    kind, tensor, context = ForkingPickler._extra_reducers[nd.NDArray](large[3:5])[1]
    assert kind is nd.NDArray
    assert tensor.untyped_storage().nbytes() == 80
    assert context == large.context
    assert loads(ForkingPickler.dumps(large[3:5])).shape == (2, 10)
