"""`python -m mxnet.launch -n 4 python train.py`: starts a program in several processes, here or on other machines.

Takes the options of MXNet's `tools/launch.py`; torch's elastic agent, the one behind `torchrun`, does the work. It is
no part of `import mxnet`: workers need none of it.
"""
