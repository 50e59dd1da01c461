// Normalization of rows (layers) and of columns (batches), in training.

#include "lanes.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/library.h>

#include <optional>
#include <tuple>

namespace regluon {
namespace {

using at::Tensor;
using MaybeTensor = std::optional<Tensor>;

void expect_rows(const Tensor& data, const char* name) {
    TORCH_CHECK(data.scalar_type() == at::kFloat && data.is_contiguous() && data.dim() > 0 && data.numel() > 0,
                name, " of ", data.scalar_type(), " with shape ", data.sizes(), " and strides ", data.strides(),
                "; expected contiguous float32 with elements");
}

void expect_vector(const Tensor& vector, int64_t length, const char* name) {
    TORCH_CHECK(vector.scalar_type() == at::kFloat && vector.is_contiguous() && vector.numel() == length,
                name, " of ", vector.scalar_type(), " with shape ", vector.sizes(), "; expected contiguous float32 of ",
                length, " elements");
}

const float* pointer(const MaybeTensor& tensor) {
    return tensor ? tensor->const_data_ptr<float>() : nullptr;
}

// Writes x + other + bias to sum; gives the sum over the row.
float added_row(const float* x, const float* other, const float* bias, float* sum, int64_t length) {
    Vec total{};
    along(length, [&](auto part) {
        Vec value = part.load(x);
        value = other ? value + part.load(other) : value;
        value = bias ? value + part.load(bias) : value;
        part.store(sum, value);
        total += value;
    });
    return sum_of(total);
}

float sum_of_row(const float* x, int64_t length) {
    Vec total{};
    along(length, [&](auto part) { total += part.load(x); });
    return sum_of(total);
}

float squares_around(float mean, const float* x, int64_t length) {
    Vec total{};
    along(length, [&](auto part) {
        const Vec away = part.load(x, mean) - mean;
        total += away * away;
    });
    return sum_of(total);
}

// Results, and the mean and the inverse deviation of each row.
using Normalized = std::tuple<Tensor, Tensor, Tensor>;

// Normalizes rows; if something is to be added to them first, the sum is written to `sum`.
Normalized normalized_sum(const Tensor& data, const MaybeTensor& other, const MaybeTensor& bias, const Tensor& gamma,
                          const Tensor& beta, double eps, float* sum) {
    const int64_t length = data.size(-1), rows = data.numel() / length;
    expect_vector(gamma, length, "gamma");
    expect_vector(beta, length, "beta");
    if (other) {
        expect_rows(*other, "other");
        TORCH_CHECK(other->sizes() == data.sizes(), "other of shape ", other->sizes(), "; expected ", data.sizes());
    }
    if (bias) {
        expect_vector(*bias, length, "bias");
    }
    auto shape = data.sizes().vec();
    shape.back() = 1;
    Tensor result = at::empty_like(data), means = at::empty(shape, data.options()), inverses = at::empty_like(means);
    const float *from = data.const_data_ptr<float>(), *others = pointer(other), *added = pointer(bias);
    const float *scale = gamma.const_data_ptr<float>(), *offset = beta.const_data_ptr<float>();
    float *to = result.mutable_data_ptr<float>();
    float *mean_of = means.mutable_data_ptr<float>(), *inverse_of = inverses.mutable_data_ptr<float>();
    Shares(rows, length).each([&](int64_t, int64_t first, int64_t last) {
        for (int64_t row = first; row < last; ++row) {
            const int64_t begin = row * length;
            const float *x = from + begin, *s = sum ? sum + begin : x;
            const float total = sum ? added_row(x, others ? others + begin : nullptr, added, sum + begin, length)
                                    : sum_of_row(x, length);
            const float mean = total / length;
            float* y = to + begin;
            const float inverse = 1.0f / std::sqrt(squares_around(mean, s, length) / length + static_cast<float>(eps));
            along(length, [=](auto part) {
                part.store(y, (part.load(s) - mean) * inverse * part.load(scale) + part.load(offset));
            });
            mean_of[row] = mean;
            inverse_of[row] = inverse;
        }
    });
    return {result, means, inverses};
}

Normalized layer_norm(const Tensor& data, const Tensor& gamma, const Tensor& beta, double eps) {
    expect_rows(data, "data");
    return normalized_sum(data, std::nullopt, std::nullopt, gamma, beta, eps, nullptr);
}

// Of data + other + bias, which comes first among the results.
std::tuple<Tensor, Tensor, Tensor, Tensor> added_layer_norm(
    const Tensor& data, const MaybeTensor& other, const MaybeTensor& bias, const Tensor& gamma, const Tensor& beta,
    double eps) {
    expect_rows(data, "data");
    Tensor sum = at::empty_like(data);
    auto found = normalized_sum(data, other, bias, gamma, beta, eps, sum.mutable_data_ptr<float>());
    return std::tuple_cat(std::make_tuple(sum), found);
}

Normalized added_layer_norm_over(Tensor& data, const MaybeTensor& other, const MaybeTensor& bias, const Tensor& gamma,
                                 const Tensor& beta, double eps) {
    expect_rows(data, "data");
    return normalized_sum(data, other, bias, gamma, beta, eps, data.mutable_data_ptr<float>());
}

// Gradients of the data, gamma and beta, and the sums over rows of the first: the gradient of a bias in the data.
std::tuple<Tensor, Tensor, Tensor, Tensor> layer_norm_backward(
    const Tensor& grad, const Tensor& data, const Tensor& mean, const Tensor& inverse, const Tensor& gamma) {
    expect_rows(data, "data");
    expect_rows(grad, "grad");
    TORCH_CHECK(grad.sizes() == data.sizes(), "grad of shape ", grad.sizes(), "; expected ", data.sizes());
    const int64_t length = data.size(-1), rows = data.numel() / length;
    expect_vector(mean, rows, "mean");
    expect_vector(inverse, rows, "inverse");
    expect_vector(gamma, length, "gamma");
    Tensor result = at::empty_like(data), of_gamma = at::empty({length}, data.options());
    Tensor of_beta = at::empty_like(of_gamma), of_bias = at::empty_like(of_gamma);
    const float *given = grad.const_data_ptr<float>(), *from = data.const_data_ptr<float>();
    const float *means = mean.const_data_ptr<float>(), *inverses = inverse.const_data_ptr<float>();
    const float* scale = gamma.const_data_ptr<float>();
    float* to = result.mutable_data_ptr<float>();
    const Shares shares(rows, length);
    ColumnSums gammas(shares, length), betas(shares, length), biases(shares, length);
    shares.each([&](int64_t share, int64_t first, int64_t last) {
        float *gamma_sum = gammas.of(share), *beta_sum = betas.of(share), *bias_sum = biases.of(share);
        for (int64_t row = first; row < last; ++row) {
            const float *g = given + row * length, *x = from + row * length;
            float* y = to + row * length;
            const float centre = means[row], factor = inverses[row];
            Vec plain{}, along_x{};
            along(length, [&](auto part) {
                const Vec upper = part.load(g), place = (part.load(x, centre) - centre) * factor;
                const Vec scaled = upper * part.load(scale);
                plain += scaled;
                along_x += scaled * place;
                part.store(gamma_sum, part.load(gamma_sum) + upper * place);
                part.store(beta_sum, part.load(beta_sum) + upper);
            });
            const float mean_plain = sum_of(plain) / length, mean_along = sum_of(along_x) / length;
            along(length, [=](auto part) {
                const Vec place = (part.load(x) - centre) * factor;
                const Vec found = (part.load(g) * part.load(scale) - mean_plain - place * mean_along) * factor;
                part.store(y, found);
                part.store(bias_sum, part.load(bias_sum) + found);
            });
        }
    });
    gammas.finish(of_gamma.mutable_data_ptr<float>());
    betas.finish(of_beta.mutable_data_ptr<float>());
    biases.finish(of_bias.mutable_data_ptr<float>());
    return {result, of_gamma, of_beta, of_bias};
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(regluon, m) {
    m.def("layer_norm(Tensor data, Tensor gamma, Tensor beta, float eps) -> (Tensor, Tensor, Tensor)");
    m.def("added_layer_norm(Tensor data, Tensor? other, Tensor? bias, Tensor gamma, Tensor beta, float eps)"
          " -> (Tensor, Tensor, Tensor, Tensor)");
    m.def("added_layer_norm_(Tensor(a!) data, Tensor? other, Tensor? bias, Tensor gamma, Tensor beta, float eps)"
          " -> (Tensor, Tensor, Tensor)");
    m.def("layer_norm_backward(Tensor grad, Tensor data, Tensor mean, Tensor inverse, Tensor gamma)"
          " -> (Tensor, Tensor, Tensor, Tensor)");
    m.impl("layer_norm", c10::DispatchKey::CPU, TORCH_FN(layer_norm));
    m.impl("added_layer_norm", c10::DispatchKey::CPU, TORCH_FN(added_layer_norm));
    m.impl("added_layer_norm_", c10::DispatchKey::CPU, TORCH_FN(added_layer_norm_over));
    m.impl("layer_norm_backward", c10::DispatchKey::CPU, TORCH_FN(layer_norm_backward));
}

}  // namespace regluon
