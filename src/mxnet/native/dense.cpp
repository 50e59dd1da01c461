// Small dense layers: one call forward and one backward, where torch's calls cost more than their arithmetic.

#include "small_products.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include <tuple>

namespace regluon {
namespace {

using at::Tensor;

void expect_matrix(const Tensor& data, const char* name) {
    TORCH_CHECK(data.scalar_type() == at::kFloat && data.dim() == 2 && data.is_contiguous(), name, " of ",
                data.scalar_type(), " with shape ", data.sizes(), " and strides ", data.strides(),
                "; expected a contiguous matrix of float32");
}

Matrix<const float> as_it_is(const float* data, int64_t columns) {
    return {data, columns, 1};
}

Matrix<const float> turned(const float* data, int64_t columns) {
    return {data, 1, columns};
}

// x @ weight.T + bias; negative results count as 0 if it is activated.
Tensor dense(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias, bool is_activated) {
    expect_matrix(x, "x");
    expect_matrix(weight, "weight");
    const int64_t rows = x.size(0), depth = x.size(1), units = weight.size(0);
    TORCH_CHECK(weight.size(1) == depth, "weight of shape ", weight.sizes(), "; expected ", depth, " columns");
    TORCH_CHECK(!bias || (bias->is_contiguous() && bias->numel() == units && bias->scalar_type() == at::kFloat),
                "bias; expected ", units, " of float32 in one piece");
    Tensor result = at::empty({rows, units}, x.options());
    float* to = result.mutable_data_ptr<float>();
    Scratch packed(std::max<int64_t>(depth, 1) * kTileColumns);
    multiply(as_it_is(x.const_data_ptr<float>(), depth), turned(weight.const_data_ptr<float>(), depth), {to, units, 1},
             {rows, depth, units}, packed.data());
    const float* offset = bias ? bias->const_data_ptr<float>() : nullptr;
    for (int64_t row = 0; row < rows; ++row) {
        along(units, [&](auto part) {
            Vec value = part.load(to + row * units);
            value = offset ? value + part.load(offset) : value;
            part.store(to + row * units, is_activated ? (value < 0 ? Vec{} : value) : value);
        });
    }
    return result;
}

// The gradients of x, the weight and the bias. That of x is empty if it is not wanted.
std::tuple<Tensor, Tensor, Tensor> dense_backward(const Tensor& grad, const std::optional<Tensor>& result,
                                                  const Tensor& x, const Tensor& weight, bool of_x) {
    expect_matrix(grad, "grad");
    expect_matrix(x, "x");
    expect_matrix(weight, "weight");
    const int64_t rows = x.size(0), depth = x.size(1), units = weight.size(0);
    TORCH_CHECK(grad.size(0) == rows && grad.size(1) == units && weight.size(1) == depth, "grad of shape ",
                grad.sizes(), ", x of ", x.sizes(), ", weight of ", weight.sizes(),
                "; expected those of a dense layer");
    TORCH_CHECK(!result || (result->is_contiguous() && result->sizes() == grad.sizes()), "result; expected shape ",
                grad.sizes());
    Tensor of_weight = at::empty({units, depth}, x.options()), of_bias = at::empty({units}, x.options());
    Tensor of_data = at::empty({of_x ? rows : 0, depth}, x.options());
    const float* given = grad.const_data_ptr<float>();
    const float* kept = result ? result->const_data_ptr<float>() : nullptr;
    float* sums = of_bias.mutable_data_ptr<float>();
    std::fill_n(sums, units, 0.0f);
    Scratch inner(result ? std::max<int64_t>(rows * units, 1) : 1);
    for (int64_t row = 0; row < rows; ++row) {
        along(units, [&](auto part) {
            Vec value = part.load(given + row * units);
            if (kept) {
                value = part.load(kept + row * units) <= 0 ? Vec{} : value;
                part.store(inner.data() + row * units, value);
            }
            part.store(sums, part.load(sums) + value);
        });
    }
    const float* slopes = kept ? inner.data() : given;
    Scratch packed(std::max({rows, units, int64_t{1}}) * kTileColumns);
    multiply(turned(slopes, units), as_it_is(x.const_data_ptr<float>(), depth),
             {of_weight.mutable_data_ptr<float>(), depth, 1}, {units, rows, depth}, packed.data());
    if (of_x) {
        multiply(as_it_is(slopes, units), as_it_is(weight.const_data_ptr<float>(), depth),
                 {of_data.mutable_data_ptr<float>(), depth, 1}, {rows, units, depth}, packed.data());
    }
    return {of_data, of_weight, of_bias};
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(regluon, m) {
    m.def("dense(Tensor x, Tensor weight, Tensor? bias, bool is_activated) -> Tensor");
    m.def("dense_backward(Tensor grad, Tensor? result, Tensor x, Tensor weight, bool of_x)"
          " -> (Tensor, Tensor, Tensor)");
    m.impl("dense", c10::DispatchKey::CPU, TORCH_FN(dense));
    m.impl("dense_backward", c10::DispatchKey::CPU, TORCH_FN(dense_backward));
}

}  // namespace regluon
