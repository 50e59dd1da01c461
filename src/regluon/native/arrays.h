// Arrays of Python as C++ sees them: which tensors they hold, and new ones around results.

#pragma once

#include "torch_private.h"

namespace regluon {

// Where the members of arrays and tapes lie: they have __slots__.
struct Layout {
    Py_ssize_t tensor, context, node, tape;
    Py_ssize_t gradient;      // where the gradient goes: `_slot`
    Py_ssize_t spent, freed;  // of a tape
};

// The layout of a class of arrays, and of tapes.
Layout layout_of(pybind11::handle array_type, pybind11::handle tape_type);

inline PyObject*& member(PyObject* object, Py_ssize_t offset) {
    return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + offset);
}

inline bool is_plain_tensor(PyObject* object) {
    return object != nullptr && Py_IS_TYPE(object, reinterpret_cast<PyTypeObject*>(THPVariableClass));
}

// Whether a backward has used up a part of what was recorded on a tape.
inline bool is_used(PyObject* tape, const Layout& layout) {
    return PyList_GET_SIZE(member(tape, layout.spent)) != 0 || PySet_GET_SIZE(member(tape, layout.freed)) != 0;
}

// The tape of the thread, None where nothing is recorded; an error of Python is thrown.
pybind11::object tape_of(PyObject* state);

// A new array around a tensor; `node` is the tensor that stands for it in the graph recorded on `tape`, or None.
pybind11::object new_array(PyTypeObject* type, const Layout& layout, pybind11::object tensor, pybind11::object context,
                           PyObject* node, PyObject* tape);

}  // namespace regluon
