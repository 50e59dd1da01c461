// Torch's headers that are not part of its stable interface: what the runner and the arithmetic of arrays are built on.
//
// A library that includes them fits the very version of torch that it was compiled for, and no other is loaded
// (loading.py). Kernels include tensor.h and parallel.h, which all versions since 2.10 keep. Without the runner programs
// run in Python. ../torch_private.py is this file's counterpart there.

#pragma once

#include <ATen/PythonTorchFunctionTLS.h>
#include <ATen/ScalarOps.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/add.h>
#include <ATen/ops/div.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sub.h>
#include <c10/core/CPUAllocator.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/jit/python/pybind_utils.h>
#include <torch/csrc/utils/pybind.h>
