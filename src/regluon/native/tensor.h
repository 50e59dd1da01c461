// Tensors through torch's stable C interface: a library that includes nothing else of torch fits all since 2.10.

#pragma once

#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace regluon {

using torch::headeronly::ScalarType;
using torch::stable::Tensor;
using MaybeTensor = std::optional<Tensor>;
using Ints = torch::headeronly::IntHeaderOnlyArrayRef;

constexpr auto kFloat = ScalarType::Float;

// -- error texts -----------------------------------------------------------------------------------------------------

template <class Value>
void put(std::ostream& stream, const Value& value) {
    stream << value;
}

inline void put(std::ostream& stream, Ints values) {
    const char* separator = "[";
    for (int64_t value : values) {
        stream << separator << value;
        separator = ", ";
    }
    stream << (values.size() ? "]" : "[]");
}

template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
    std::ostringstream stream;
    (put(stream, parts), ...);
    throw std::runtime_error(stream.str());
}

// A macro, so that the parts of the text are computed only if they are needed.
#define REGLUON_CHECK(condition, ...) \
    if (!(condition)) [[unlikely]]    \
    ::regluon::refuse(__VA_ARGS__)

// -- memory ----------------------------------------------------------------------------------------------------------

inline Tensor empty_strided(Ints sizes, Ints strides, ScalarType dtype) {
    using torch::stable::detail::from, torch::stable::detail::to;
    AtenTensorHandle made = nullptr;
    TORCH_ERROR_CODE_CHECK(aoti_torch_empty_strided(static_cast<int64_t>(sizes.size()), sizes.data(), strides.data(),
                                                    to<int32_t>(from(dtype)), aoti_torch_device_type_cpu(), 0, &made));
    return Tensor(made);
}

inline Tensor allocate(Ints sizes, ScalarType dtype = kFloat) {
    std::vector<int64_t> strides(sizes.size());
    int64_t stride = 1;
    for (size_t axis = sizes.size(); axis-- > 0;) {
        strides[axis] = stride;
        stride *= std::max<int64_t>(sizes[axis], 1);
    }
    return empty_strided(sizes, strides, dtype);
}

// Of a dense tensor, in the same order.
inline Tensor allocate_like(const Tensor& other) {
    return empty_strided(other.sizes(), other.strides(), other.scalar_type());
}

// Images with their channels last.
inline Tensor allocate_channels_last(int64_t count, int64_t channels, int64_t height, int64_t width,
                                     ScalarType dtype = kFloat) {
    return empty_strided({count, channels, height, width}, {height * width * channels, 1, width * channels, channels},
                         dtype);
}

inline bool is_channels_last(const Tensor& images) {
    if (images.dim() != 4) {
        return false;
    }
    const auto sizes = images.sizes(), strides = images.strides();
    int64_t expected = 1;
    for (int axis : {1, 3, 2, 0}) {
        if (sizes[axis] != 1) {
            if (strides[axis] != expected) {
                return false;
            }
            expected *= sizes[axis];
        }
    }
    return true;
}

inline Tensor in_order(const Tensor& tensor) {
    return tensor.is_contiguous() ? tensor : torch::stable::contiguous(tensor);
}

}  // namespace regluon
