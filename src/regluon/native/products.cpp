// Products of matrices as they lie in memory: one of them, or the heads of an attention layer.

#include "product.h"
#include "tensor.h"

namespace regluon::products {
namespace {

void expect_matrices(const Tensor& data, const char* name, int64_t dimensions) {
    REGLUON_CHECK(data.scalar_type() == kFloat && data.dim() == dimensions &&
                      (data.stride(-1) == 1 || data.stride(-2) == 1),
                  name, " of ", data.scalar_type(), " with shape ", data.sizes(), " and strides ", data.strides(),
                  "; expected float32 of ", dimensions, " dimensions, rows or columns in one piece");
}

// lhs @ rhs; either may be turned.
Tensor product(const Tensor& lhs, const Tensor& rhs) {
    expect_matrices(lhs, "lhs", 2);
    expect_matrices(rhs, "rhs", 2);
    const Sizes sizes{lhs.size(0), lhs.size(1), rhs.size(1)};
    REGLUON_CHECK(rhs.size(0) == sizes.depth, "lhs of shape ", lhs.sizes(), ", rhs of shape ", rhs.sizes(),
                  "; expected matrices that can be multiplied");
    Tensor result = allocate({sizes.rows, sizes.columns});
    multiply({lhs.const_data_ptr<float>(), lhs.stride(0), lhs.stride(1)},
             {rhs.const_data_ptr<float>(), rhs.stride(0), rhs.stride(1)},
             {result.mutable_data_ptr<float>(), sizes.columns, 1}, sizes);
    return result;
}

template <class Number>
Matrix<Number> matrix_at(Number* data, const Tensor& tensor, int64_t number) {
    const int64_t heads = tensor.size(1);
    const int64_t place = number / heads * tensor.stride(0) + number % heads * tensor.stride(1);
    return {data + place, tensor.stride(2), tensor.stride(3)};
}

// The products of the matrices in the last two axes.
void head_products(const Tensor& lhs, const Tensor& rhs, Tensor& out) {
    expect_matrices(lhs, "lhs", 4);
    expect_matrices(rhs, "rhs", 4);
    expect_matrices(out, "out", 4);
    const Sizes sizes{lhs.size(2), lhs.size(3), rhs.size(3)};
    const bool fits = rhs.size(2) == sizes.depth && out.size(2) == sizes.rows && out.size(3) == sizes.columns;
    REGLUON_CHECK(fits && lhs.sizes().slice(0, 2) == rhs.sizes().slice(0, 2) &&
                      lhs.sizes().slice(0, 2) == out.sizes().slice(0, 2) && out.stride(3) == 1,
                  "lhs of shape ", lhs.sizes(), ", rhs of shape ", rhs.sizes(), ", out of shape ", out.sizes(),
                  "; expected matrices that can be multiplied, and rows of out in one piece");
    const float *left = lhs.const_data_ptr<float>(), *right = rhs.const_data_ptr<float>();
    float* to = out.mutable_data_ptr<float>();
    const int64_t least = std::max<int64_t>(kWorthAThread / std::max<int64_t>(sizes.multiplications(), 1), 1);
    parallel_for(0, lhs.size(0) * lhs.size(1), least, [&](int64_t first, int64_t last) {
        const AsItIs finish;
        for (int64_t number = first; number < last; ++number) {
            Product(matrix_at(left, lhs, number), matrix_at(right, rhs, number), matrix_at(to, out, number), sizes,
                    finish)
                .run({0, sizes.rows}, {0, sizes.columns});
        }
    });
}

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(regluon, m) {
    m.def("product(Tensor lhs, Tensor rhs) -> Tensor");
    m.def("head_products(Tensor lhs, Tensor rhs, Tensor(a!) out) -> ()");
}

STABLE_TORCH_LIBRARY_IMPL(regluon, CPU, m) {
    m.impl("product", TORCH_BOX(&product));
    m.impl("head_products", TORCH_BOX(&head_products));
}

}  // namespace regluon::products
