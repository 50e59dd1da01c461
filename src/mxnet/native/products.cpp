// Products of many small matrices whose rows lie apart: the heads of an attention layer as they are in memory.

#include "small_products.h"

#include <ATen/core/Tensor.h>
#include <torch/library.h>

namespace regluon {
namespace {

using at::Tensor;

void expect_matrices(const Tensor& data, const char* name) {
    TORCH_CHECK(data.scalar_type() == at::kFloat && data.dim() == 4 && (data.stride(3) == 1 || data.stride(2) == 1),
                name, " of ", data.scalar_type(), " with shape ", data.sizes(), " and strides ", data.strides(),
                "; expected float32 of 4 dimensions, rows or columns in one piece");
}

template <class Number>
Matrix<Number> matrix_at(Number* data, const Tensor& tensor, int64_t number) {
    const int64_t heads = tensor.size(1);
    const int64_t place = number / heads * tensor.stride(0) + number % heads * tensor.stride(1);
    return {data + place, tensor.stride(2), tensor.stride(3)};
}

// The products of the matrices in the last two axes.
void head_products(const Tensor& lhs, const Tensor& rhs, Tensor& out) {
    expect_matrices(lhs, "lhs");
    expect_matrices(rhs, "rhs");
    expect_matrices(out, "out");
    const Sizes sizes{lhs.size(2), lhs.size(3), rhs.size(3)};
    const bool fits = rhs.size(2) == sizes.depth && out.size(2) == sizes.rows && out.size(3) == sizes.columns;
    TORCH_CHECK(fits && lhs.sizes().slice(0, 2) == rhs.sizes().slice(0, 2) &&
                    lhs.sizes().slice(0, 2) == out.sizes().slice(0, 2) && out.stride(3) == 1,
                "lhs of shape ", lhs.sizes(), ", rhs of shape ", rhs.sizes(), ", out of shape ", out.sizes(),
                "; expected matrices that can be multiplied, and rows of out in one piece");
    const float *left = lhs.const_data_ptr<float>(), *right = rhs.const_data_ptr<float>();
    float* to = out.mutable_data_ptr<float>();
    const int64_t work = std::max<int64_t>(sizes.rows * sizes.depth * sizes.columns, 1);
    const int64_t least = std::max<int64_t>(65536 / work, 1);  // products; fewer are not worth a thread
    at::parallel_for(0, lhs.size(0) * lhs.size(1), least, [&](int64_t first, int64_t last) {
        Scratch packed(std::max<int64_t>(sizes.depth, 1) * kTileColumns);
        for (int64_t number = first; number < last; ++number) {
            multiply(matrix_at(left, lhs, number), matrix_at(right, rhs, number), matrix_at(to, out, number), sizes,
                     packed.data());
        }
    });
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(regluon, m) {
    m.def("head_products(Tensor lhs, Tensor rhs, Tensor(a!) out) -> ()");
    m.impl("head_products", c10::DispatchKey::CPU, TORCH_FN(head_products));
}

}  // namespace regluon
