// What a captured program takes for granted of its arguments; compiler/guard.py says why nothing else matters.

#pragma once

#include "torch_private.h"

#include <vector>

namespace regluon {

struct TensorSpec {
    std::vector<int64_t> sizes, strides;
    at::ScalarType dtype;
    at::Device device;
    bool requires_grad;

    bool matches(const at::Tensor& tensor) const {
        // What Python stands behind, such as the tensors of torch's own traces, is not what it looks like.
        return tensor.scalar_type() == dtype && tensor.device() == device && tensor.requires_grad() == requires_grad &&
               tensor.layout() == at::kStrided && !tensor.key_set().has(c10::DispatchKey::Python) &&
               tensor.sizes() == at::IntArrayRef(sizes) && tensor.strides() == at::IntArrayRef(strides);
    }
};

class Guard {
public:
    // Tuples of sizes, strides, dtype, device and whether a gradient is wanted.
    explicit Guard(const pybind11::list& specs) {
        for (auto spec : specs) {
            auto parts = spec.cast<pybind11::tuple>();
            specs_.push_back({parts[0].cast<std::vector<int64_t>>(), parts[1].cast<std::vector<int64_t>>(),
                              parts[2].cast<at::ScalarType>(), parts[3].cast<at::Device>(), parts[4].cast<bool>()});
        }
    }

    // Whether the arguments, of which only the first may be guarded, are like those of the capture.
    bool holds(const torch::autograd::variable_list& arguments) const {
        if (arguments.size() < specs_.size()) {
            return false;
        }
        for (size_t place = 0; place < specs_.size(); ++place) {
            if (!specs_[place].matches(arguments[place])) {
                return false;
            }
        }
        return true;
    }

private:
    std::vector<TensorSpec> specs_;
};

}  // namespace regluon
