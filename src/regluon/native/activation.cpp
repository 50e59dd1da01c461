// What stands behind a dense layer: its bias and its activation, whose gradient comes with that of the bias.

#include "rows.h"

#include <tuple>

namespace regluon::activation {
namespace {

// The share of the normal distribution below x, and its density at x.
struct Normal {
    Vec below, density;
};

// By the formula 7.1.26 of Abramowitz and Stegun, which is right to 1.5e-7, as torch's is.
inline Normal normal(Vec x) {
    const Vec size = x < 0.0f ? -x : x;
    const Vec bell = exponential(x * x * -0.5f);
    const Vec t = 1.0f / (size * (0.3275911f * 0.70710678f) + 1.0f);
    Vec sum = splat(0.5f * 1.061405429f);
    sum = sum * t - 0.5f * 1.453152027f;
    sum = sum * t + 0.5f * 1.421413741f;
    sum = sum * t - 0.5f * 0.284496736f;
    sum = sum * t + 0.5f * 0.254829592f;
    const Vec beyond = sum * t * bell;
    return {x < 0.0f ? beyond : 1.0f - beyond, bell * 0.39894228f};
}

// Writes GELU of data + bias to `result`, and its derivative there to `slope`, which may be the data.
void gelu_and_slope(const Tensor& data, const MaybeTensor& bias, Tensor& result, float* slope) {
    const Rows rows = rows_of(data);
    const float *from = data.const_data_ptr<float>(), *added = numbers_of(bias, rows.length, "bias");
    float* to = result.mutable_data_ptr<float>();
    Shares(rows.count, rows.length).each_row([&](int64_t row) {
        const int64_t begin = rows.begin(row);
        const float* x = from + begin;
        float *y = to + begin, *d = slope + begin;
        along(rows.length, [=](auto part) {
            const Vec value = added ? part.load(x) + part.load(added) : part.load(x);
            const Normal at = normal(value);
            part.store(y, value * at.below);
            part.store(d, at.below + value * at.density);
        });
    });
}

std::tuple<Tensor, Tensor> bias_gelu(const Tensor& data, const MaybeTensor& bias) {
    expect_rows(data, "data");
    Tensor result = allocate_like(data), slope = allocate_like(data);
    gelu_and_slope(data, bias, result, slope.mutable_data_ptr<float>());
    return {result, slope};
}

// The derivative is written over the data: it is all that the gradient needs, and costs next to nothing here.
Tensor bias_gelu_over(Tensor& data, const MaybeTensor& bias) {
    expect_rows(data, "data");
    Tensor result = allocate_like(data);
    gelu_and_slope(data, bias, result, data.mutable_data_ptr<float>());
    return result;
}

// Computes the gradient of the data, number by number, and its sums over rows, which are the gradient of a bias.
template <class Function>
std::tuple<Tensor, Tensor> with_sums(const Tensor& grad, const Tensor& kept, const Function& function) {
    expect_rows(grad, "grad");
    expect_rows(kept, "what is kept");
    expect_shape(grad, kept.sizes(), "grad");
    const Rows rows = rows_of(grad);
    Tensor result = allocate_like(grad), sums = allocate({rows.length});
    const float *given = grad.const_data_ptr<float>(), *from = kept.const_data_ptr<float>();
    float* to = result.mutable_data_ptr<float>();
    const Shares shares(rows.count, rows.length);
    ColumnSums collected(shares, rows.length);
    shares.each([&](int64_t share, int64_t first, int64_t last) {
        float* total = collected.of(share);
        in_stretches(first, last, [&](int64_t above, int64_t below) {
            for (int64_t row = above; row < below; ++row) {
                const float *g = given + rows.begin(row), *x = from + rows.begin(row);
                float* y = to + rows.begin(row);
                along(rows.length, [=](auto part) {
                    const Vec found = function(part.load(g), part.load(x));
                    part.store(y, found);
                    part.store(total, part.load(total) + found);
                });
            }
            collected.carry(share);
        });
    });
    collected.finish(sums.mutable_data_ptr<float>());
    return {result, sums};
}

std::tuple<Tensor, Tensor> sloped_backward(const Tensor& grad, const Tensor& slope) {
    return with_sums(grad, slope, [](Vec upper, Vec steepness) { return upper * steepness; });
}

std::tuple<Tensor, Tensor> relu_backward(const Tensor& grad, const Tensor& result) {
    return with_sums(grad, result, [](Vec upper, Vec value) { return value <= 0.0f ? Vec{} : upper; });
}

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(regluon, m) {
    m.def("bias_gelu(Tensor data, Tensor? bias) -> (Tensor, Tensor)");
    m.def("bias_gelu_(Tensor(a!) data, Tensor? bias) -> Tensor");
    m.def("sloped_backward(Tensor grad, Tensor slope) -> (Tensor, Tensor)");
    m.def("relu_backward(Tensor grad, Tensor result) -> (Tensor, Tensor)");
}

STABLE_TORCH_LIBRARY_IMPL(regluon, CPU, m) {
    m.impl("bias_gelu", TORCH_BOX(&bias_gelu));
    m.impl("bias_gelu_", TORCH_BOX(&bias_gelu_over));
    m.impl("sloped_backward", TORCH_BOX(&sloped_backward));
    m.impl("relu_backward", TORCH_BOX(&relu_backward));
}

}  // namespace regluon::activation
