// Gradients on their way to the buffers of variables: what GradientSlot.deliver does (recording.py), without Python.

#pragma once

#include "torch_private.h"

namespace regluon {

// Whether another tensor or an exported buffer looks at the same memory, or it belongs to NumPy.
inline bool is_shared(const at::Tensor& tensor) {
    const auto& storage = tensor.storage();
    const auto* in_python = storage.unsafeGetStorageImpl()->pyobj_slot();
    bool has_object = in_python->load_pyobj() != nullptr;  // it counts, and stays when Python has let go of it
    bool is_held = has_object && !in_python->has_unique_reference();
    return storage.use_count() > (has_object ? 2 : 1) || is_held || !storage.resizable();
}

struct SlotNames {
    pybind11::str run = "_run", fresh = "fresh", grad = "grad", request = "request", tensor = "_t",
                  receiver = "receiver";
};

// Writes a gradient that nobody else has to the buffer of a slot, or adds it.
inline void deliver(pybind11::handle slot, at::Tensor value) {
    namespace py = pybind11;
    static const auto* const names = new SlotNames();  // for ever: at exit Python may be gone
    constexpr int64_t kSmall = 2048;                   // as in recording.py
    py::object receiver = slot.attr(names->receiver);
    if (!receiver.is_none()) {
        receiver(slot, py::reinterpret_steal<py::object>(THPVariable_Wrap(std::move(value))));
        return;
    }
    auto run = torch::autograd::get_current_graph_task_id();
    py::object grad = slot.attr(names->grad);
    py::object held = grad.attr(names->tensor);
    const auto& buffer = THPVariable_Unpack(held.ptr());
    if (slot.attr(names->run).cast<int64_t>() == run) {
        buffer.add_(value);
        return;
    }
    slot.attr(names->run) = py::int_(run);
    slot.attr(names->fresh) = py::bool_(true);
    bool adds = slot.attr(names->request).cast<std::string_view>() == "add";
    if (adds) {
        buffer.add_(value);
    } else if (value.numel() <= kSmall || buffer.scalar_type() != value.scalar_type() || is_shared(buffer) ||
               is_shared(value)) {
        buffer.copy_(value);
    } else {
        grad.attr(names->tensor) = py::reinterpret_steal<py::object>(THPVariable_Wrap(std::move(value)));
    }
}

// What torch calls when the gradient of a variable is complete.
class SlotHook : public torch::autograd::PostAccumulateGradHook {
public:
    explicit SlotHook(pybind11::object slot) : slot_(std::move(slot)) {}

    ~SlotHook() override {
        pybind11::gil_scoped_acquire python;
        slot_ = pybind11::object();
    }

    void operator()(const torch::autograd::Variable& leaf) override {
        pybind11::gil_scoped_acquire python;
        auto& grad = leaf.mutable_grad();
        if (!grad.defined() || grad._is_zerotensor() || grad.layout() != at::kStrided) {
            slot_(leaf);  // the special cases are Python's
            return;
        }
        at::NoGradGuard no_grad;
        deliver(slot_, std::exchange(grad, at::Tensor()));
    }

private:
    pybind11::object slot_;
};

inline void watch(const at::Tensor& leaf, pybind11::object slot) {
    torch::autograd::impl::set_post_acc_grad_hooks(leaf, std::make_unique<SlotHook>(std::move(slot)));
}

}  // namespace regluon
