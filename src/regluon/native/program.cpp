// Programs: recorded calls of torch's operators, run one after the other without Python in between.
//
// Python records what a compiled network calls, forward and backward (compiler/replay.py); here the calls are made
// again. To torch's autograd engine a run is one node, as it is where Python runs the network (compiler/joint.py).

#include "program.h"

#include <unordered_set>

#include "delivery.h"

namespace regluon {
namespace {

// A network and its gradient. The forward program gives the heads, then new values of states, then what the backward
// program is given again, after the gradients of the heads.
struct Pair {
    std::shared_ptr<Program> forward, backward;
    std::vector<bool> wanted;    // for each input whether it has a gradient
    std::vector<bool> active;    // for each head whether gradients flow from it
    std::vector<bool> given;     // for each head whether its gradient was there when the backward program was recorded
    std::vector<size_t> states;  // positions of the inputs that the new values of states are for
    std::vector<Delivery> deliveries;
    py::object is_collecting;  // asks whether gradients are returned rather than delivered
};

// A run as torch's engine sees it.
class Run : public torch::autograd::Node {
public:
    Run(std::shared_ptr<Pair> pair, variable_list inputs, py::object sinks, py::object in_python)
        : pair_(std::move(pair)),
          inputs_(std::move(inputs)),
          sinks_(std::move(sinks)),
          in_python_(std::move(in_python)) {
        torch::autograd::edge_list edges(inputs_.size());
        for (size_t place = 0; place < inputs_.size(); ++place) {
            // What is delivered has no edge: to visit a variable costs the engine more than a small operator.
            if (pair_->wanted[place] && PyList_GET_ITEM(sinks_.ptr(), static_cast<Py_ssize_t>(place)) == Py_None) {
                edges[place] = torch::autograd::impl::gradient_edge(inputs_[place]);
            }
        }
        set_next_edges(std::move(edges));
        topological_nr_ = std::max<uint64_t>(topological_nr_, 1);  // above variables, which may be connected later
    }

    // Puts in the edges to what is delivered otherwise, for whoever collects gradients.
    void connect() {
        for (size_t place = 0; place < inputs_.size(); ++place) {
            if (pair_->wanted[place] && !next_edge(place).is_valid()) {
                next_edges()[place] = torch::autograd::impl::gradient_edge(inputs_[place]);
            }
        }
    }

    ~Run() override {
        py::gil_scoped_acquire python;
        sinks_ = in_python_ = py::object();
    }

    std::string name() const override { return "CompiledNetwork"; }

    void keep(variable_list kept) { kept_ = std::move(kept); }

    void will_release_variables() override { is_last_ = true; }

    void release_variables() override {
        kept_.clear();
        inputs_.clear();
        is_released_ = true;
    }

    variable_list apply(variable_list&& grads) override {
        TORCH_CHECK(!is_released_, "the graph was differentiated already; it cannot be differentiated a second time");
        if (at::GradMode::is_enabled()) {
            return from_python(grads);
        }
        for (size_t head = 0; head < grads.size(); ++head) {
            if (grads[head].defined() != pair_->given[head]) {
                return from_python(grads);  // gradients from other heads than it was recorded for
            }
        }
        return replayed(grads);
    }

private:
    variable_list from_python(const variable_list& grads) {
        py::gil_scoped_acquire python;
        py::list heads;
        for (const auto& grad : grads) {
            heads.append(grad.defined() ? py::cast(grad) : py::none());
        }
        auto found = in_python_(py::cast(inputs_), heads, sinks_).cast<py::list>();
        variable_list tensors;
        for (auto grad : found) {
            tensors.push_back(grad.is_none() ? at::Tensor() : grad.cast<at::Tensor>());
        }
        return tensors;
    }

    // Gradients of all inputs, but for those that were delivered.
    variable_list replayed(const variable_list& grads) {
        variable_list given;
        for (const auto& grad : grads) {
            if (grad.defined()) {
                given.push_back(grad);
            }
        }
        given.insert(given.end(), inputs_.begin(), inputs_.end());
        given.insert(given.end(), kept_.begin(), kept_.end());
        const auto& program = *pair_->backward;
        if (!program.fits(given)) {
            return from_python(grads);
        }
        auto slots = program.start(given);
        if (is_last_) {
            given.clear();
            kept_.clear();  // so that memory is given back on the way
        }
        variable_list found(inputs_.size());
        bool collecting;
        {
            py::gil_scoped_acquire python;
            collecting = pair_->is_collecting().cast<bool>();
        }
        size_t done = 0;
        for (const auto& delivery : pair_->deliveries) {
            program.run(slots, done, delivery.after);
            done = delivery.after;
            at::Tensor value = slots[delivery.slot].toTensor();
            if (delivery.is_alone) {
                slots[delivery.slot] = c10::IValue();
            } else {
                value = value.clone();
            }
            if (collecting || !delivered(delivery.input, value)) {
                found[delivery.input] = std::move(value);
            }
        }
        program.run(slots, done, program.size());
        return found;
    }

    bool delivered(size_t input, at::Tensor& value) {
        py::gil_scoped_acquire python;
        py::handle sink = PyList_GET_ITEM(sinks_.ptr(), static_cast<Py_ssize_t>(input));
        if (sink.is_none()) {
            return false;
        }
        deliver(sink, std::move(value));
        return true;
    }

    std::shared_ptr<Pair> pair_;
    variable_list inputs_, kept_;
    py::object sinks_;      // for each input the GradientSlot that takes its gradient, or None
    py::object in_python_;  // gives gradients that can be differentiated, and those of a run unlike the recorded one
    bool is_last_ = false, is_released_ = false;
};

// Heads and new values of states, or None where the inputs are not like those that the program was recorded with.
py::object run_recorded(const std::shared_ptr<Pair>& pair, const variable_list& inputs, py::list sinks,
                        py::object in_python) {
    const auto& program = *pair->forward;
    if (!program.fits(inputs)) {
        return py::none();
    }
    auto node = c10::make_intrusive<Run>(pair, inputs, std::move(sinks), std::move(in_python));
    variable_list found;
    {
        py::gil_scoped_release no_python;
        auto slots = program.start(inputs);
        program.run(slots, 0, program.size());
        found = program.outputs(slots);
    }
    auto num_heads = pair->active.size();
    auto num_results = num_heads + pair->states.size();
    py::list heads, states;
    for (size_t head = 0; head < num_heads; ++head) {
        // Apart from what is kept: the result holds the node, which holds what is kept.
        auto result = found[head].variable_data();
        if (pair->active[head]) {
            torch::autograd::set_history(result, node);
        } else {
            node->add_input_metadata(torch::autograd::Node::undefined_input());
        }
        heads.append(py::cast(std::move(result)));
    }
    for (size_t place = num_heads; place < num_results; ++place) {
        states.append(py::make_tuple(pair->states[place - num_heads], found[place]));
    }
    node->keep({found.begin() + static_cast<int64_t>(num_results), found.end()});
    return py::make_tuple(heads, states);
}

py::object run_plainly(const std::shared_ptr<Program>& program, const variable_list& inputs) {
    if (!program->fits(inputs)) {
        return py::none();
    }
    variable_list found;
    {
        py::gil_scoped_release no_python;
        auto slots = program->start(inputs);
        program->run(slots, 0, program->size());
        found = program->outputs(slots);
    }
    return py::cast(found);
}

// Prepares the graph behind tensors for a collection of gradients.
void connect(const variable_list& heads) {
    std::unordered_set<torch::autograd::Node*> seen;
    std::vector<torch::autograd::Node*> waiting;
    auto enter = [&](torch::autograd::Node* node) {
        if (node != nullptr && seen.insert(node).second) {
            waiting.push_back(node);
        }
    };
    for (const auto& head : heads) {
        enter(head.grad_fn().get());
    }
    while (!waiting.empty()) {
        auto* node = waiting.back();
        waiting.pop_back();
        if (auto* run = dynamic_cast<Run*>(node)) {
            run->connect();
        }
        for (const auto& edge : node->next_edges()) {
            enter(edge.function.get());
        }
    }
}

std::shared_ptr<Pair> pair_of(std::shared_ptr<Program> forward, std::shared_ptr<Program> backward,
                              std::vector<bool> wanted, std::vector<bool> active, std::vector<bool> given,
                              std::vector<size_t> states,
                              const std::vector<std::tuple<size_t, int64_t, size_t, bool>>& deliveries,
                              py::object is_collecting) {
    auto pair = std::make_shared<Pair>(Pair{std::move(forward),
                                            std::move(backward),
                                            std::move(wanted),
                                            std::move(active),
                                            std::move(given),
                                            std::move(states),
                                            {},
                                            std::move(is_collecting)});
    for (const auto& [after, slot, input, is_alone] : deliveries) {
        pair->deliveries.push_back({after, slot, input, is_alone});
    }
    return pair;
}

}  // namespace

namespace arithmetic {
void define_arithmetic(py::module_& module);
}
namespace calls {
void define_calls(py::module_& module);
}
namespace memory {
void define_memory(py::module_& module);
}
namespace update {
void define_updates(py::module_& module);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) {
    py::class_<Program, std::shared_ptr<Program>>(module, "Program")
        .def(py::init<const py::list&, int64_t, const py::list&, std::vector<std::pair<int64_t, at::Tensor>>,
                      std::vector<int64_t>>())
        .def("run", &run_plainly);
    py::class_<Pair, std::shared_ptr<Pair>>(module, "Pair").def(py::init(&pair_of)).def("run", &run_recorded);
    module.def("connect", &connect);
    module.def("watch", &watch);
    arithmetic::define_arithmetic(module);
    calls::define_calls(module);
    memory::define_memory(module);
    update::define_updates(module);
}

}  // namespace regluon
