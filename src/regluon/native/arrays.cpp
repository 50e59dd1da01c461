#include "arrays.h"

#include <structmember.h>  // which relies on Python.h, included above

namespace regluon {
namespace {

Py_ssize_t offset_of(pybind11::handle type, const char* name) {
    pybind11::object found = type.attr(name);
    TORCH_CHECK(Py_IS_TYPE(found.ptr(), &PyMemberDescr_Type), name, ": expected a member of __slots__");
    return reinterpret_cast<PyMemberDescrObject*>(found.ptr())->d_member->offset;
}

}  // namespace

Layout layout_of(pybind11::handle array_type, pybind11::handle tape_type) {
    return {
        offset_of(array_type, "_t"),    offset_of(array_type, "_ctx"),  offset_of(array_type, "_node"),
        offset_of(array_type, "_tape"), offset_of(array_type, "_slot"), offset_of(tape_type, "spent"),
        offset_of(tape_type, "_freed"),
    };
}

pybind11::object tape_of(PyObject* state) {
    static PyObject* const name = PyUnicode_InternFromString("tape");
    auto tape = pybind11::reinterpret_steal<pybind11::object>(PyObject_GetAttr(state, name));
    if (!tape) {
        throw pybind11::error_already_set();
    }
    return tape;
}

pybind11::object new_array(PyTypeObject* type, const Layout& layout, pybind11::object tensor, pybind11::object context,
                           PyObject* node, PyObject* tape) {
    auto made = pybind11::reinterpret_steal<pybind11::object>(type->tp_alloc(type, 0));
    if (!made) {
        throw pybind11::error_already_set();
    }
    PyObject* array = made.ptr();
    member(array, layout.node) = Py_NewRef(node);
    member(array, layout.tape) = Py_NewRef(tape);
    member(array, layout.gradient) = Py_NewRef(Py_None);
    member(array, layout.tensor) = tensor.release().ptr();
    member(array, layout.context) = context.release().ptr();
    return made;
}

}  // namespace regluon
