// Calls that are repeated with arrays of the same kind: torch is asked for what it was asked for before.
//
// A function of arrays, `nd.sum(x, axis=1)` for example, finds out what to ask torch for, then asks. Nothing decides that
// but dtypes and shapes of its arrays, whether they are recorded, and its other arguments. So the second call of a kind
// is watched (runtime/repeated.py), and those after it call torch's functions without the Python in between. Whatever is
// unusual, errors included, goes to the function in Python.

#include "arrays.h"

#include <structmember.h>  // which relies on Python.h, included above

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace regluon::calls {
namespace {

namespace py = pybind11;

constexpr size_t kMostKinds = 256;  // of calls of one function that are remembered
constexpr int kMostDepth = 4;       // of sequences in sequences

using Numbers = c10::SmallVector<int64_t, 64>;

// What all calls need of Python. It is never freed.
struct Surroundings {
    PyObject* state = nullptr;  // recording.state
    PyObject* switches = nullptr;
    PyTypeObject* tape_type = nullptr;
    PyTypeObject* array_types[2] = {nullptr, nullptr};
    PyObject* watch = nullptr;  // repeated.watch
    Layout layout{};
};

Surroundings* surroundings = nullptr;
uint64_t generation = 0;  // grows when what was learned is no longer true

// -- what a call is remembered by ------------------------------------------------------------------------------------

enum Tag : int64_t { kArray, kObject, kInteger, kReal, kText, kTuple, kList, kSlice, kName };

class Key {
public:
    Numbers numbers;
    c10::SmallVector<PyObject*, 8> arrays;  // in the order of the arguments, borrowed
    c10::SmallVector<PyObject*, 8> kept;    // what is told apart by its address, borrowed

    explicit Key(PyObject* tape) : tape_(tape) { numbers.push_back(tape != Py_None); }

    PyObject* context() const { return context_; }

    // Adds an argument; false where it takes Python to say what it means.
    bool add(PyObject* value, int depth = 0) {
        auto* type = Py_TYPE(value);
        for (int i = 0; i < 2; ++i) {
            if (type == surroundings->array_types[i]) {
                return add_array(value, i);
            }
        }
        if (value == Py_None || type == &PyBool_Type || value == Py_Ellipsis || PyType_Check(value) ||
            THPDtype_Check(value)) {
            return add_object(kObject, value);
        }
        if (type == &PyLong_Type) {
            int overflow = 0;
            numbers.append({kInteger, PyLong_AsLongLongAndOverflow(value, &overflow)});
            return overflow == 0;
        }
        if (type == &PyFloat_Type) {
            double number = PyFloat_AS_DOUBLE(value);
            int64_t bits = 0;
            std::memcpy(&bits, &number, sizeof(bits));
            numbers.append({kReal, bits});
            return true;
        }
        if (type == &PyUnicode_Type) {
            return PyUnicode_CHECK_INTERNED(value) && add_object(kText, value);
        }
        return depth < kMostDepth && add_compound(value, depth);
    }

    bool add_name(PyObject* name) { return PyUnicode_CHECK_INTERNED(name) && add_object(kName, name); }

    uint64_t hash() const {
        uint64_t found = 1469598103934665603u;
        for (int64_t number : numbers) {
            found = (found ^ static_cast<uint64_t>(number)) * 1099511628211u;
            found ^= found >> 29;
        }
        return found;
    }

private:
    bool add_object(Tag tag, PyObject* object) {
        numbers.append({tag, reinterpret_cast<int64_t>(object)});
        kept.push_back(object);
        return true;
    }

    bool add_compound(PyObject* value, int depth) {
        if (PyTuple_CheckExact(value) || PyList_CheckExact(value)) {
            bool is_tuple = PyTuple_CheckExact(value);
            Py_ssize_t size = PySequence_Fast_GET_SIZE(value);
            numbers.append({is_tuple ? kTuple : kList, size});
            for (Py_ssize_t i = 0; i < size; ++i) {
                if (!add(PySequence_Fast_GET_ITEM(value, i), depth + 1)) {
                    return false;
                }
            }
            return true;
        }
        if (!PySlice_Check(value)) {
            return false;
        }
        auto* slice = reinterpret_cast<PySliceObject*>(value);
        numbers.push_back(kSlice);
        return add(slice->start, depth + 1) && add(slice->stop, depth + 1) && add(slice->step, depth + 1);
    }

    bool add_array(PyObject* array, int type) {
        const auto& layout = surroundings->layout;
        PyObject* tensor = member(array, layout.tensor);
        PyObject* context = member(array, layout.context);
        if (!is_plain_tensor(tensor) || (context_ != nullptr && context != context_)) {
            return false;
        }
        context_ = context;
        const at::Tensor& stored = THPVariable_Unpack(tensor);
        int64_t place = place_of(array, tensor, stored);
        if (place < 0 || !is_usual(stored)) {
            return false;
        }
        int64_t device = static_cast<int64_t>(stored.device().type()) << 8 | (stored.device().index() & 0xff);
        int64_t kind = static_cast<int64_t>(stored.scalar_type()) << 8 | place << 4 | type;
        numbers.append({kArray, kind, device, same_as(array), stored.dim()});
        numbers.append(stored.sizes().begin(), stored.sizes().end());
        arrays.push_back(array);
        return true;
    }

    // Which array before it has the same tensors, or -1: torch was given one tensor twice, or two.
    int64_t same_as(PyObject* array) const {
        const auto& layout = surroundings->layout;
        for (size_t i = 0; i < arrays.size(); ++i) {
            PyObject* node = member(array, layout.node);
            if (member(arrays[i], layout.tensor) == member(array, layout.tensor) ||
                (node != Py_None && member(arrays[i], layout.node) == node)) {
                return static_cast<int64_t>(i);
            }
        }
        return -1;
    }

    static bool is_usual(const at::Tensor& tensor) {
        return tensor.layout() == at::kStrided && tensor.is_contiguous() && !tensor.is_neg() && !tensor.is_conj();
    }

    // What stands for the array in a recorded graph: 0 nothing, 1 a variable, 2 or 3 a result; -1 where Python must say.
    int64_t place_of(PyObject* array, PyObject* tensor, const at::Tensor& stored) const {
        if (tape_ == Py_None) {
            return stored.requires_grad() ? -1 : 0;
        }
        const auto& layout = surroundings->layout;
        PyObject* node = member(array, layout.node);
        PyObject* owner = member(array, layout.tape);
        // Integers need a look at where they come from while there is a recording.
        if (node == nullptr || owner == nullptr || !at::isFloatingType(stored.scalar_type())) {
            return -1;
        }
        if (node == Py_None) {
            return owner == Py_None && !stored.requires_grad() ? 0 : -1;
        }
        bool is_alive = owner == Py_None || (owner == tape_ && !is_used(tape_, layout));
        if (!is_alive || !is_plain_tensor(node)) {
            return -1;
        }
        const at::Tensor& recorded = THPVariable_Unpack(node);
        bool is_alike = recorded.scalar_type() == stored.scalar_type() && recorded.sizes() == stored.sizes() &&
                        recorded.device() == stored.device() && recorded.requires_grad();
        if (!is_alike || !is_usual(recorded)) {
            return -1;
        }
        if (owner == Py_None) {
            return node == tensor || stored.requires_grad() ? -1 : 1;
        }
        // The storage of a result is the result itself, until a program has looked at it.
        return node == tensor ? 2 : stored.requires_grad() ? -1 : 3;
    }

    PyObject* tape_;
    PyObject* context_ = nullptr;
};

// -- what torch is asked for -----------------------------------------------------------------------------------------

using Slots = c10::SmallVector<py::object, 12>;

// An argument of one of torch's functions: a tensor, a constant, or a sequence of those.
struct Argument {
    enum Kind : int { kSlot, kConstant, kList, kTuple } kind;
    size_t slot = 0;
    py::object constant;
    std::vector<Argument> items;

    explicit Argument(const py::handle& told) {
        auto parts = told.cast<py::tuple>();
        kind = static_cast<Kind>(parts[0].cast<int>());
        if (kind == kSlot) {
            slot = parts[1].cast<size_t>();
        } else if (kind == kConstant) {
            constant = parts[1];
        } else {
            for (const auto& item : parts[1]) {
                items.emplace_back(item);
            }
        }
    }

    // The value, borrowed; what has to be made for it is put into `made`.
    PyObject* value(const Slots& slots, c10::SmallVectorImpl<py::object>& made) const {
        if (kind == kSlot) {
            return slots[slot].ptr();
        }
        if (kind == kConstant) {
            return constant.ptr();
        }
        made.push_back(sequence(slots));
        return made.back().ptr();
    }

private:
    py::object sequence(const Slots& slots) const {
        auto size = static_cast<Py_ssize_t>(items.size());
        auto made = py::reinterpret_steal<py::object>(kind == kList ? PyList_New(size) : PyTuple_New(size));
        if (!made) {
            throw py::error_already_set();
        }
        c10::SmallVector<py::object, 4> inner;
        for (Py_ssize_t i = 0; i < size; ++i) {
            PyObject* item = Py_NewRef(items[i].value(slots, inner));
            if (kind == kList) {
                PyList_SET_ITEM(made.ptr(), i, item);
            } else {
                PyTuple_SET_ITEM(made.ptr(), i, item);
            }
        }
        return made;
    }
};

struct Step {
    py::object function;
    std::vector<Argument> arguments;  // by position, then by name
    py::object names;
    std::vector<size_t> outputs;
    bool is_sequence;  // whether the function returns several
    bool is_item;      // whether it is x[i], which Python has a shorter way for

    explicit Step(const py::handle& told) {
        auto parts = told.cast<py::tuple>();
        function = parts[0];
        for (const auto& each : parts[1]) {
            arguments.emplace_back(each);
        }
        names = parts[2];
        outputs = parts[3].cast<std::vector<size_t>>();
        is_sequence = parts[4].cast<bool>();
        is_item = function.is(py::module_::import("operator").attr("getitem")) && arguments.size() == 2;
    }

    void run(Slots& slots) const {
        c10::SmallVector<py::object, 2> made;
        c10::SmallVector<PyObject*, 8> given;
        for (const auto& argument : arguments) {
            given.push_back(argument.value(slots, made));
        }
        size_t named = PyTuple_GET_SIZE(names.ptr());
        PyObject* by_name = named == 0 ? nullptr : names.ptr();
        auto found = py::reinterpret_steal<py::object>(
            is_item ? PyObject_GetItem(given[0], given[1])
                    : PyObject_Vectorcall(function.ptr(), given.data(), given.size() - named, by_name));
        if (!found) {
            throw py::error_already_set();
        }
        if (!is_sequence) {
            slots[outputs[0]] = std::move(found);
            return;
        }
        auto parts = py::reinterpret_steal<py::object>(PySequence_Fast(found.ptr(), "several results are expected"));
        TORCH_CHECK(parts && PySequence_Fast_GET_SIZE(parts.ptr()) == static_cast<Py_ssize_t>(outputs.size()));
        for (size_t i = 0; i < outputs.size(); ++i) {
            slots[outputs[i]] = py::reinterpret_borrow<py::object>(PySequence_Fast_GET_ITEM(parts.ptr(), i));
        }
    }
};

struct Result {
    size_t tensor;
    int64_t node;  // the slot of what stands for it in the recorded graph, or -1
};

// All that a kind of call asks torch for. Of input i, slot 2i is its storage, 2i + 1 what stands for it in the graph.
struct Steps {
    std::vector<Step> steps;
    size_t num_slots;
    std::vector<Result> results;
    bool is_list;
    py::object np_shape;  // the switch that it holds for, or None

    explicit Steps(const py::handle& told) {
        auto parts = told.cast<py::tuple>();
        for (const auto& each : parts[0]) {
            steps.emplace_back(each);
        }
        num_slots = parts[1].cast<size_t>();
        for (const auto& each : parts[2]) {
            auto [tensor, node] = each.cast<std::pair<size_t, int64_t>>();
            results.push_back({tensor, node});
        }
        is_list = parts[3].cast<bool>();
        np_shape = parts[4];
    }

    // Whether they hold for this thread: lengths of 0, and arrays without axes, mean something or not.
    bool hold() const {
        if (np_shape.is_none()) {
            return true;
        }
        static PyObject* const name = PyUnicode_InternFromString("np_shape");
        auto found = py::reinterpret_steal<py::object>(PyObject_GetAttr(surroundings->switches, name));
        return found.ptr() == np_shape.ptr();
    }

    PyObject* run(const Key& key, PyObject* tape) const {
        const auto& layout = surroundings->layout;
        Slots slots(num_slots);
        for (size_t i = 0; i < key.arrays.size(); ++i) {
            slots[2 * i] = py::reinterpret_borrow<py::object>(member(key.arrays[i], layout.tensor));
            slots[2 * i + 1] = py::reinterpret_borrow<py::object>(member(key.arrays[i], layout.node));
        }
        auto context = py::reinterpret_borrow<py::object>(key.context());
        auto* type = Py_TYPE(key.arrays[0]);
        for (const auto& step : steps) {
            step.run(slots);
        }
        auto array_of = [&](const Result& result) {
            const auto& tensor = slots[result.tensor];
            TORCH_CHECK(is_plain_tensor(tensor.ptr()));
            PyObject* node = result.node < 0 ? Py_None : slots[result.node].ptr();
            return new_array(type, layout, tensor, context, node, result.node < 0 ? Py_None : tape);
        };
        if (!is_list) {
            return array_of(results[0]).release().ptr();
        }
        py::list list(results.size());
        for (size_t i = 0; i < results.size(); ++i) {
            list[i] = array_of(results[i]);
        }
        return list.release().ptr();
    }
};

// -- functions that repeat -------------------------------------------------------------------------------------------

struct Remembered {
    Numbers numbers;
    std::vector<py::object> kept;
    bool is_watched = false;
    std::shared_ptr<Steps> steps;  // none if it cannot be repeated
};

struct Memory {
    std::unordered_map<uint64_t, Remembered> kinds;
    uint64_t generation = 0;
};

struct Call {
    PyObject_HEAD
    vectorcallfunc call;
    PyObject* function;  // what does it in Python
    Memory* memory;
};

// Watches a call in Python, to repeat it from now on.
std::shared_ptr<Steps> watched(const Call& self, const Key& key, PyObject* const* arguments, Py_ssize_t count,
                               PyObject* names) {
    py::tuple args(count);
    for (Py_ssize_t i = 0; i < count; ++i) {
        args[i] = py::reinterpret_borrow<py::object>(arguments[i]);
    }
    py::dict kwargs;
    for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i) {
        kwargs[py::handle(PyTuple_GET_ITEM(names, i))] = py::handle(arguments[count + i]);
    }
    py::list arrays;
    for (PyObject* array : key.arrays) {
        arrays.append(py::handle(array));
    }
    py::object found = py::handle(surroundings->watch)(py::handle(self.function), args, kwargs, arrays);
    return found.is_none() ? nullptr : std::make_shared<Steps>(found);
}

// The steps of a kind of call; none where it is new, or cannot be repeated.
std::shared_ptr<Steps> steps_of(const Call& self, const Key& key, PyObject* const* arguments, Py_ssize_t count,
                                PyObject* names) {
    auto& memory = *self.memory;
    if (memory.generation != generation) {
        memory.kinds.clear();
        memory.generation = generation;
    }
    uint64_t hash = key.hash();
    auto place = memory.kinds.find(hash);
    if (place == memory.kinds.end() || place->second.numbers != key.numbers) {
        if (memory.kinds.size() >= kMostKinds) {
            memory.kinds.clear();  // a program whose shapes change all the time must not grow
        }
        Remembered made{key.numbers, {}};
        for (PyObject* object : key.kept) {
            made.kept.push_back(py::reinterpret_borrow<py::object>(object));
        }
        memory.kinds[hash] = std::move(made);
        return nullptr;
    }
    if (!place->second.is_watched) {
        place->second.is_watched = true;  // other threads may come here meanwhile
        auto before = generation;
        auto steps = watched(self, key, arguments, count, names);
        auto found = memory.kinds.find(hash);  // anew: other threads may have changed the table
        if (before == generation && found != memory.kinds.end() && found->second.numbers == key.numbers) {
            found->second.steps = std::move(steps);
        }
        return nullptr;
    }
    return place->second.steps;
}

// The result, or null where it takes Python to find it; no Python error is set then.
PyObject* repeated(const Call& self, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
    if (at::impl::torch_function_mode_enabled()) {
        return nullptr;
    }
    auto tape = tape_of(surroundings->state);
    if (!tape.is_none() && (!Py_IS_TYPE(tape.ptr(), surroundings->tape_type) || !at::GradMode::is_enabled())) {
        return nullptr;
    }
    Key key(tape.ptr());
    for (Py_ssize_t i = 0; i < count; ++i) {
        if (!key.add(arguments[i])) {
            return nullptr;
        }
    }
    for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i) {
        if (!key.add_name(PyTuple_GET_ITEM(names, i)) || !key.add(arguments[count + i])) {
            return nullptr;
        }
    }
    if (key.arrays.empty()) {
        return nullptr;
    }
    auto steps = steps_of(self, key, arguments, count, names);
    return steps == nullptr || !steps->hold() ? nullptr : steps->run(key, tape.ptr());
}

PyObject* call_repeated(PyObject* callable, PyObject* const* arguments, size_t flags, PyObject* names) {
    const auto& self = *reinterpret_cast<Call*>(callable);
    if (surroundings != nullptr) {
        try {
            PyObject* found = repeated(self, arguments, PyVectorcall_NARGS(flags), names);
            if (found != nullptr) {
                return found;
            }
        } catch (py::error_already_set& error) {
            if (!error.matches(PyExc_Exception)) {  // the user has pressed Ctrl-C
                error.restore();
                return nullptr;
            }
        } catch (const std::exception&) {
            PyErr_Clear();  // the function in Python meets the same error, and explains it
        }
        if (PyErr_Occurred() != nullptr) {
            PyErr_Clear();
        }
    }
    return PyObject_Vectorcall(self.function, arguments, flags, names);
}

// -- their type ------------------------------------------------------------------------------------------------------

PyObject* bound(PyObject* self, PyObject* array, PyObject*) {
    return array == nullptr || array == Py_None ? Py_NewRef(self) : PyMethod_New(self, array);
}

// It passes for the function in Python in all but how it is called and pickled.
PyObject* attribute(PyObject* self, PyObject* name) {
    static const char* const own[] = {"__wrapped__", "__call__", "__get__", "__reduce__", "__reduce_ex__"};
    for (const char* each : own) {
        if (PyUnicode_CompareWithASCIIString(name, each) == 0) {
            return PyObject_GenericGetAttr(self, name);
        }
    }
    return PyObject_GetAttr(reinterpret_cast<Call*>(self)->function, name);
}

int set_attribute(PyObject* self, PyObject* name, PyObject* value) {
    return PyObject_SetAttr(reinterpret_cast<Call*>(self)->function, name, value);
}

PyObject* represented(PyObject* self) {
    return PyObject_Repr(reinterpret_cast<Call*>(self)->function);
}

// Like functions, by name.
PyObject* reduced(PyObject* self, PyObject*) {
    return PyObject_GetAttrString(reinterpret_cast<Call*>(self)->function, "__qualname__");
}

int visit_members(PyObject* object, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(reinterpret_cast<Call*>(object)->function);
    return 0;
}

int clear_members(PyObject* object) {
    Py_CLEAR(reinterpret_cast<Call*>(object)->function);
    return 0;
}

void deallocate(PyObject* object) {
    auto* type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    clear_members(object);
    delete reinterpret_cast<Call*>(object)->memory;
    type->tp_free(object);
    Py_DECREF(type);
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Call, call), READONLY, nullptr},
    {"__wrapped__", T_OBJECT, offsetof(Call, function), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyMethodDef methods[] = {
    {"__reduce__", reduced, METH_NOARGS, nullptr},
    {"__reduce_ex__", reduced, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_descr_get, reinterpret_cast<void*>(bound)},
    {Py_tp_getattro, reinterpret_cast<void*>(attribute)},
    {Py_tp_setattro, reinterpret_cast<void*>(set_attribute)},
    {Py_tp_repr, reinterpret_cast<void*>(represented)},
    {Py_tp_traverse, reinterpret_cast<void*>(visit_members)},
    {Py_tp_clear, reinterpret_cast<void*>(clear_members)},
    {Py_tp_dealloc, reinterpret_cast<void*>(deallocate)},
    {Py_tp_members, members},
    {Py_tp_methods, methods},
    {0, nullptr},
};

PyType_Spec spec = {
    "regluon_native.Call",
    sizeof(Call),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR |
        Py_TPFLAGS_DISALLOW_INSTANTIATION,
    slots,
};

py::object repeating(py::object function) {
    static auto* const type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
    auto* made = type == nullptr ? nullptr : reinterpret_cast<Call*>(type->tp_alloc(type, 0));
    if (made == nullptr) {
        throw py::error_already_set();
    }
    made->call = call_repeated;
    made->memory = new Memory();
    made->function = function.release().ptr();
    return py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(made));
}

void prepare_calls(py::object state, py::object switches, py::object tape_type, py::object array_type,
                   py::object numpy_array_type, py::object watch) {
    auto made = std::make_unique<Surroundings>();
    made->layout = layout_of(array_type, tape_type);
    made->state = state.release().ptr();
    made->switches = switches.release().ptr();
    made->tape_type = reinterpret_cast<PyTypeObject*>(tape_type.release().ptr());
    made->array_types[0] = reinterpret_cast<PyTypeObject*>(array_type.release().ptr());
    made->array_types[1] = reinterpret_cast<PyTypeObject*>(numpy_array_type.release().ptr());
    made->watch = watch.release().ptr();
    surroundings = made.release();
    ++generation;
}

}  // namespace

void define_calls(py::module_& module) {
    module.def("repeating", &repeating, py::arg("function"));
    module.def("prepare_calls", &prepare_calls, py::arg("state"), py::arg("switches"), py::arg("tape_type"),
               py::arg("array_type"), py::arg("numpy_array_type"), py::arg("watch"));
    module.def("forget_calls", [] { ++generation; });
}

}  // namespace regluon::calls
