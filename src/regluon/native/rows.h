// Arrays of float32 as kernels that walk along rows receive them: checks, and pointers to their numbers.

#pragma once

#include "lanes.h"
#include "shares.h"
#include "tensor.h"

#include <optional>

namespace regluon {

struct Rows {
    int64_t count, length;

    int64_t begin(int64_t row) const { return row * length; }
};

// Along the last axis.
inline Rows rows_of(const Tensor& data) {
    const int64_t length = data.size(-1);
    return {length ? data.numel() / length : 0, length};
}

inline void expect_rows(const Tensor& data, const char* name) {
    REGLUON_CHECK(data.scalar_type() == kFloat && data.is_contiguous() && data.dim() > 0, name, " of ",
                  data.scalar_type(), " with shape ", data.sizes(), " and strides ", data.strides(),
                  "; expected contiguous float32 of one dimension or more");
}

inline void expect_shape(const Tensor& data, Ints shape, const char* name) {
    REGLUON_CHECK(data.sizes() == shape, name, " of shape ", data.sizes(), "; expected ", shape);
}

// The numbers of an array, however many axes it has.
inline const float* numbers_of(const Tensor& data, int64_t count, const char* name) {
    REGLUON_CHECK(data.scalar_type() == kFloat && data.is_contiguous() && data.numel() == count, name, " of ",
                  data.scalar_type(), " with shape ", data.sizes(), "; expected contiguous float32 of ", count,
                  " elements");
    return data.const_data_ptr<float>();
}

// Null if there is no array.
inline const float* numbers_of(const MaybeTensor& data, int64_t count, const char* name) {
    return data ? numbers_of(*data, count, name) : nullptr;
}

}  // namespace regluon
