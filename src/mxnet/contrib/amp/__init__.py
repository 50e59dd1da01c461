"""Automatic mixed precision: networks that compute in float16 or bfloat16 where that does no harm.

    amp.init(target_dtype="bfloat16")              # before the network is made
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd")
    amp.init_trainer(trainer)
    with autograd.record():
        loss = loss_of(net(data), label)
        with amp.scale_loss(loss, trainer) as scaled:
            autograd.backward(scaled)
    trainer.step(batch_size)

Parameters stay float32; operators cast what they read, by the lists in `lists`. For prediction, `convert_model` and
`convert_hybrid_block` put the casts into a network that exists.
"""

from . import _training
from .amp import *  # noqa: F403
