// Recorded calls of torch's operators, and programs of them, as Python hands them over.

#pragma once

#include "guard.h"

namespace regluon {

namespace py = pybind11;
using torch::autograd::variable_list;

constexpr int64_t kNowhere = -1;  // the slot of what nobody reads

// What a call is given: a constant, the value of a slot, or those of several slots as a list.
struct Argument {
    c10::IValue value;
    std::vector<int64_t> slots;
    bool is_list = false;
    bool is_optional = false;  // whether members of the list may be missing
};

// Where a result goes: one slot, or those of the members of a list.
struct Result {
    std::vector<int64_t> slots;
    bool is_list = false;
};

struct Call {
    c10::OperatorHandle op;
    std::vector<Argument> arguments;
    std::vector<Result> results;
    std::vector<int64_t> done;  // slots that nobody reads afterwards
};

// The gradient of an input that is complete after so many calls.
struct Delivery {
    size_t after;
    int64_t slot;
    size_t input;
    bool is_alone;  // whether nobody else has the tensor, so that it can be given away
};

using Slots = std::vector<c10::IValue>;

inline c10::IValue list_of(const Argument& argument, const Slots& slots) {
    if (argument.is_optional) {
        c10::List<std::optional<at::Tensor>> list;
        list.reserve(argument.slots.size());
        for (auto slot : argument.slots) {
            list.push_back(slot == kNowhere ? std::nullopt : std::make_optional(slots[slot].toTensor()));
        }
        return list;
    }
    c10::List<at::Tensor> list;
    list.reserve(argument.slots.size());
    for (auto slot : argument.slots) {
        list.push_back(slots[slot].toTensor());
    }
    return list;
}

inline void perform(const Call& call, Slots& slots, torch::jit::Stack& stack) {
    stack.clear();
    for (const auto& argument : call.arguments) {
        if (argument.is_list) {
            stack.push_back(list_of(argument, slots));
        } else {
            stack.push_back(argument.slots.empty() ? argument.value : slots[argument.slots[0]]);
        }
    }
    call.op.callBoxed(stack);
    for (size_t place = 0; place < call.results.size(); ++place) {
        const auto& result = call.results[place];
        if (!result.is_list) {
            if (result.slots[0] != kNowhere) {
                slots[result.slots[0]] = std::move(stack[place]);
            }
            continue;
        }
        auto members = stack[place].toTensorList();
        for (size_t number = 0; number < result.slots.size(); ++number) {
            if (result.slots[number] != kNowhere) {
                slots[result.slots[number]] = members.get(number);
            }
        }
    }
    for (auto slot : call.done) {
        slots[slot] = c10::IValue();
    }
}

inline std::vector<int64_t> slot_numbers(const py::handle& given) {
    return given.cast<std::vector<int64_t>>();
}

inline Argument argument_from(const py::handle& given, const c10::Argument& expected) {
    auto pair = given.cast<py::tuple>();
    auto kind = pair[0].cast<std::string>();
    Argument found;
    if (kind == "value") {
        torch::jit::ToIValueAllowNumbersAsTensors numbers_too(true);
        found.value = torch::jit::toIValue(pair[1], expected.type());
        return found;
    }
    found.slots = slot_numbers(pair[1]);
    found.is_list = kind == "slots";
    if (found.is_list) {
        auto type = expected.type();
        if (auto optional = type->cast<c10::OptionalType>()) {
            type = optional->getElementType();
        }
        found.is_optional = type->expectRef<c10::ListType>().getElementType()->kind() == c10::TypeKind::OptionalType;
    }
    return found;
}

// (name, overload, [arguments], [results], [slots that are done]), as compiler/replay.py writes it.
inline Call call_from(const py::handle& given) {
    auto parts = given.cast<py::tuple>();
    auto name = parts[0].cast<std::string>();
    auto overload = parts[1].cast<std::string>();
    Call call{c10::Dispatcher::singleton().findSchemaOrThrow(name.c_str(), overload.c_str()), {}, {}, {}};
    const auto& schema = call.op.schema();
    size_t place = 0;
    for (auto argument : parts[2].cast<py::list>()) {
        call.arguments.push_back(argument_from(argument, schema.arguments()[place++]));
    }
    for (auto result : parts[3].cast<py::list>()) {
        auto pair = result.cast<py::tuple>();
        call.results.push_back({slot_numbers(pair[1]), pair[0].cast<std::string>() == "slots"});
    }
    call.done = slot_numbers(parts[4]);
    return call;
}

inline std::vector<Call> calls_from(const py::list& given) {
    std::vector<Call> calls;
    for (auto call : given) {
        calls.push_back(call_from(call));
    }
    return calls;
}

// One direction of a network.
class Program {
public:
    // Inputs have slots 0, 1, ...; specs: those of the first of them. constants: tensors that are there before, by slot.
    Program(const py::list& calls, int64_t num_slots, const py::list& specs,
            std::vector<std::pair<int64_t, at::Tensor>> constants, std::vector<int64_t> outputs)
        : calls_(calls_from(calls)),
          num_slots_(num_slots),
          guard_(specs),
          constants_(std::move(constants)),
          outputs_(std::move(outputs)) {}

    bool fits(const variable_list& inputs) const { return guard_.holds(inputs); }

    Slots start(const variable_list& inputs) const {
        Slots slots(num_slots_);
        for (size_t place = 0; place < inputs.size(); ++place) {
            slots[place] = inputs[place];
        }
        for (const auto& [slot, tensor] : constants_) {
            slots[slot] = tensor;
        }
        return slots;
    }

    // Makes calls from one on, up to another.
    void run(Slots& slots, size_t first, size_t last) const {
        at::AutoDispatchBelowADInplaceOrView below_autograd;
        torch::jit::Stack stack;
        for (size_t place = first; place < last; ++place) {
            perform(calls_[place], slots, stack);
        }
    }

    size_t size() const { return calls_.size(); }

    variable_list outputs(const Slots& slots) const {
        variable_list found;
        found.reserve(outputs_.size());
        for (auto slot : outputs_) {
            found.push_back(slots[slot].toTensor());
        }
        return found;
    }

private:
    std::vector<Call> calls_;
    int64_t num_slots_;
    Guard guard_;
    std::vector<std::pair<int64_t, at::Tensor>> constants_;
    std::vector<int64_t> outputs_;
};

}  // namespace regluon
