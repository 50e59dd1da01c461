// Arithmetic of two arrays, or of an array and a number, without Python in between: `a + b` and its kin.
//
// Only the usual case is dealt with here; whatever is unusual, errors included, goes to the function in Python that
// says what an operation means (array/arithmetic.py).

#include "arrays.h"

#include <structmember.h>  // which relies on Python.h, included above

#include <optional>

namespace regluon::arithmetic {
namespace {

using Kernel = at::Tensor (*)(const at::Tensor&, const at::Tensor&);

// A function of two operands that can be a method.
struct Binary {
    PyObject_HEAD
    vectorcallfunc call;
    PyObject* function;    // what does the same in Python
    PyObject* array_type;  // the class of the arrays that are dealt with here, and of the results
    PyObject* state;       // recording.state
    PyObject* tape_type;
    Layout layout;
    Kernel kernel;
    bool is_commutative;
    bool takes_integers;
    bool is_reflected;  // whether it is called with the right operand first
};

// What to compute with, borrowed, or null where it takes Python to say.
PyObject* operand_of(const Binary& self, PyObject* array, PyObject* tape) {
    const auto& layout = self.layout;
    PyObject* found = member(array, layout.tensor);
    if (tape != Py_None) {
        PyObject* node = member(array, layout.node);
        PyObject* owner = member(array, layout.tape);
        if (node == nullptr || owner == nullptr) {
            return nullptr;
        }
        if (node != Py_None) {
            if (owner != Py_None && (owner != tape || is_used(tape, layout))) {
                return nullptr;
            }
            found = node;
        }
    }
    return is_plain_tensor(found) ? found : nullptr;
}

// A number as torch's own functions take it.
std::optional<at::Scalar> number_of(PyObject* operand) {
    if (PyFloat_CheckExact(operand)) {
        return at::Scalar(PyFloat_AS_DOUBLE(operand));
    }
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(operand, &overflow);
    if (overflow != 0) {
        return std::nullopt;
    }
    return at::Scalar(static_cast<int64_t>(value));
}

// A number as an element of half precision holds it: torch's kernels would compute with more digits, and without end.
at::Scalar rounded(const at::Scalar& number, at::ScalarType dtype) {
    auto value = static_cast<float>(number.toDouble());
    if (dtype == at::kHalf) {
        return static_cast<double>(static_cast<float>(at::Half(value)));
    }
    return dtype == at::kBFloat16 ? at::Scalar(static_cast<double>(static_cast<float>(at::BFloat16(value)))) : number;
}

bool is_number(PyObject* operand) {
    return PyFloat_CheckExact(operand) || PyLong_CheckExact(operand);
}

at::Tensor computed(Kernel kernel, const at::Tensor& lhs, const at::Tensor& rhs) {
    // Other threads go on meanwhile, unless the work takes less time than giving way to them.
    constexpr int64_t kSmall = 4096;
    bool is_small = lhs.is_cpu() && lhs.numel() <= kSmall && rhs.numel() <= kSmall;
    std::optional<pybind11::gil_scoped_release> no_python;
    if (!is_small) {
        no_python.emplace();
    }
    return kernel(lhs, rhs);
}

PyObject* array_of(const Binary& self, at::Tensor result, pybind11::object context, PyObject* tape) {
    auto* type = reinterpret_cast<PyTypeObject*>(self.array_type);
    bool is_recorded = tape != Py_None && result.requires_grad();
    auto tensor = pybind11::reinterpret_steal<pybind11::object>(THPVariable_Wrap(std::move(result)));
    if (!tensor) {
        throw pybind11::error_already_set();
    }
    PyObject* node = is_recorded ? tensor.ptr() : Py_None;
    return new_array(type, self.layout, tensor, std::move(context), node, is_recorded ? tape : Py_None).release().ptr();
}

// Whether torch's function alone gives the result. b is undefined where a meets a number.
bool can_be_computed(const Binary& self, const at::Tensor& a, const at::Tensor& b, bool is_recording) {
    bool has_arrays = b.defined();
    auto dtype = a.scalar_type();
    if (has_arrays && b.scalar_type() != dtype) {
        return false;
    }
    if (!at::isFloatingType(dtype)) {
        // Integers need a look at where they come from while there is a recording, and at the number they meet.
        return self.takes_integers && has_arrays && !is_recording && at::isIntegralType(dtype, /*includeBool=*/false);
    }
    bool has_graph = a.requires_grad() || (has_arrays && b.requires_grad());
    return !has_graph || (is_recording && at::GradMode::is_enabled());
}

// The result, or null where it takes Python to find it; no Python error is set then.
PyObject* usual_result(const Binary& self, PyObject* lhs, PyObject* rhs) {
    const auto& layout = self.layout;
    auto* type = reinterpret_cast<PyTypeObject*>(self.array_type);
    if (!Py_IS_TYPE(lhs, type)) {
        if (!self.is_commutative || !is_number(lhs)) {
            return nullptr;
        }
        std::swap(lhs, rhs);
        if (!Py_IS_TYPE(lhs, type)) {
            return nullptr;
        }
    }
    bool has_arrays = Py_IS_TYPE(rhs, type);
    auto context = pybind11::reinterpret_borrow<pybind11::object>(member(lhs, layout.context));
    bool is_usual = has_arrays ? member(rhs, layout.context) == context.ptr() : is_number(rhs);
    if (!context || !is_usual || at::impl::torch_function_mode_enabled()) {
        return nullptr;
    }
    auto tape = tape_of(self.state);
    bool is_recording = !tape.is_none();
    if (is_recording && !Py_IS_TYPE(tape.ptr(), reinterpret_cast<PyTypeObject*>(self.tape_type))) {
        return nullptr;
    }
    PyObject* left = operand_of(self, lhs, tape.ptr());
    PyObject* right = has_arrays ? operand_of(self, rhs, tape.ptr()) : nullptr;
    if (left == nullptr || (has_arrays && right == nullptr)) {
        return nullptr;
    }
    // Copies: while others run, the arrays may be given other tensors.
    at::Tensor a = THPVariable_Unpack(left), b = has_arrays ? THPVariable_Unpack(right) : at::Tensor();
    if (!can_be_computed(self, a, b, is_recording)) {
        return nullptr;
    }
    if (has_arrays && a.requires_grad() != b.requires_grad()) {
        // What the graph keeps of a constant is not the tensor that is written to: see recording.constant.
        at::Tensor& fixed = a.requires_grad() ? b : a;
        fixed = fixed.variable_data();
    }
    if (!has_arrays) {
        auto number = number_of(rhs);
        if (!number) {
            return nullptr;
        }
        b = at::native::wrapped_scalar_tensor(rounded(*number, a.scalar_type()));
    }
    return array_of(self, computed(self.kernel, a, b), std::move(context), tape.ptr());
}

PyObject* call_binary(PyObject* callable, PyObject* const* arguments, size_t flags, PyObject* keywords) {
    const auto& self = *reinterpret_cast<Binary*>(callable);
    if (PyVectorcall_NARGS(flags) == 2 && keywords == nullptr) {
        try {
            PyObject* found = self.is_reflected ? usual_result(self, arguments[1], arguments[0])
                                                : usual_result(self, arguments[0], arguments[1]);
            if (found != nullptr) {
                return found;
            }
        } catch (...) {
            PyErr_Clear();  // the function in Python meets the same error, and explains it
        }
    }
    return PyObject_Vectorcall(self.function, arguments, flags, keywords);
}

// -- the type of such functions --------------------------------------------------------------------------------------

PyObject* bound(PyObject* self, PyObject* array, PyObject*) {
    return array == nullptr || array == Py_None ? Py_NewRef(self) : PyMethod_New(self, array);
}

// What else is asked of it, its name for example, the function in Python knows.
PyObject* attribute(PyObject* self, PyObject* name) {
    PyObject* found = PyObject_GenericGetAttr(self, name);
    if (found == nullptr && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
        found = PyObject_GetAttr(reinterpret_cast<Binary*>(self)->function, name);
    }
    return found;
}

int visit_members(PyObject* object, visitproc visit, void* arg) {
    auto* self = reinterpret_cast<Binary*>(object);
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->function);
    Py_VISIT(self->array_type);
    Py_VISIT(self->state);
    Py_VISIT(self->tape_type);
    return 0;
}

int clear_members(PyObject* object) {
    auto* self = reinterpret_cast<Binary*>(object);
    Py_CLEAR(self->function);
    Py_CLEAR(self->array_type);
    Py_CLEAR(self->state);
    Py_CLEAR(self->tape_type);
    return 0;
}

void deallocate(PyObject* object) {
    auto* type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    clear_members(object);
    type->tp_free(object);
    Py_DECREF(type);
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Binary, call), READONLY, nullptr},
    {"__wrapped__", T_OBJECT, offsetof(Binary, function), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_descr_get, reinterpret_cast<void*>(bound)},
    {Py_tp_getattro, reinterpret_cast<void*>(attribute)},
    {Py_tp_traverse, reinterpret_cast<void*>(visit_members)},
    {Py_tp_clear, reinterpret_cast<void*>(clear_members)},
    {Py_tp_dealloc, reinterpret_cast<void*>(deallocate)},
    {Py_tp_members, members},
    {0, nullptr},
};

PyType_Spec spec = {
    "regluon_native.Binary",
    sizeof(Binary),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR |
        Py_TPFLAGS_DISALLOW_INSTANTIATION,
    slots,
};

Kernel kernel_of(const std::string& operation) {
    if (operation == "add") {
        return [](const at::Tensor& a, const at::Tensor& b) { return at::add(a, b); };
    }
    if (operation == "subtract") {
        return [](const at::Tensor& a, const at::Tensor& b) { return at::sub(a, b); };
    }
    if (operation == "multiply") {
        return [](const at::Tensor& a, const at::Tensor& b) { return at::mul(a, b); };
    }
    TORCH_CHECK(operation == "divide", "received the operation ", operation,
                "; expected add, subtract, multiply or divide");
    return [](const at::Tensor& a, const at::Tensor& b) { return at::div(a, b); };
}

// A function that does what one in Python does.
pybind11::object binary(pybind11::object function, const std::string& operation, pybind11::object array_type,
                        pybind11::object state, pybind11::object tape_type, bool takes_integers, bool is_reflected) {
    static auto* const type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
    auto kernel = kernel_of(operation);
    auto layout = layout_of(array_type, tape_type);
    auto* made = type == nullptr ? nullptr : reinterpret_cast<Binary*>(type->tp_alloc(type, 0));
    if (made == nullptr) {
        throw pybind11::error_already_set();
    }
    made->call = call_binary;
    made->function = function.release().ptr();
    made->array_type = array_type.release().ptr();
    made->state = state.release().ptr();
    made->tape_type = tape_type.release().ptr();
    made->layout = layout;
    made->kernel = kernel;
    made->is_commutative = operation == "add" || operation == "multiply";
    made->takes_integers = takes_integers;
    made->is_reflected = is_reflected;
    return pybind11::reinterpret_steal<pybind11::object>(reinterpret_cast<PyObject*>(made));
}

}  // namespace

void define_arithmetic(pybind11::module_& module) {
    namespace py = pybind11;
    module.def("binary", &binary, py::arg("function"), py::arg("operation"), py::arg("array_type"), py::arg("state"),
               py::arg("tape_type"), py::kw_only(), py::arg("takes_integers"), py::arg("is_reflected") = false);
}

}  // namespace regluon::arithmetic
