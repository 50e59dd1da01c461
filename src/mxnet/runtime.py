"""What this installation can do: `mx.runtime.Features()`."""

from regluon.features import Feature as Feature
from regluon.features import Features as Features
from regluon.features import KernelFeature as KernelFeature
from regluon.features import feature_list as feature_list
