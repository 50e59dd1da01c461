// Layer normalization in training, with the sum before it: each row is brought to mean 0 and deviation 1.

#include "rows.h"

#include <tuple>

namespace regluon::normalization {
namespace {

Rows expected_rows(const Tensor& data) {
    expect_rows(data, "data");
    REGLUON_CHECK(data.numel() > 0, "data of shape ", data.sizes(), "; expected some elements");
    return rows_of(data);
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
    const Rows rows = expected_rows(data);
    const int64_t length = rows.length;
    const float *scale = numbers_of(gamma, length, "gamma"), *offset = numbers_of(beta, length, "beta");
    const float* added = numbers_of(bias, length, "bias");
    if (other) {
        expect_shape(*other, data.sizes(), "other");
    }
    const float *from = data.const_data_ptr<float>(), *others = numbers_of(other, data.numel(), "other");
    auto shape = data.sizes().vec();
    shape.back() = 1;
    Tensor result = allocate_like(data), means = allocate(shape), inverses = allocate_like(means);
    float* to = result.mutable_data_ptr<float>();
    float *mean_of = means.mutable_data_ptr<float>(), *inverse_of = inverses.mutable_data_ptr<float>();
    Shares(rows.count, length).each_row([&](int64_t row) {
        const int64_t begin = rows.begin(row);
        const float *x = from + begin, *s = sum ? sum + begin : x;
        const float total =
            sum ? added_row(x, others ? others + begin : nullptr, added, sum + begin, length) : sum_of_row(x, length);
        const float mean = total / length;
        const float inverse = 1.0f / std::sqrt(squares_around(mean, s, length) / length + static_cast<float>(eps));
        float* y = to + begin;
        along(length, [=](auto part) {
            part.store(y, (part.load(s) - mean) * inverse * part.load(scale) + part.load(offset));
        });
        mean_of[row] = mean;
        inverse_of[row] = inverse;
    });
    return {result, means, inverses};
}

Normalized layer_norm(const Tensor& data, const Tensor& gamma, const Tensor& beta, double eps) {
    return normalized_sum(data, std::nullopt, std::nullopt, gamma, beta, eps, nullptr);
}

// Of data + other + bias, which comes first among the results.
std::tuple<Tensor, Tensor, Tensor, Tensor> added_layer_norm(const Tensor& data, const MaybeTensor& other,
                                                            const MaybeTensor& bias, const Tensor& gamma,
                                                            const Tensor& beta, double eps) {
    Tensor sum = allocate_like(data);
    auto found = normalized_sum(data, other, bias, gamma, beta, eps, sum.mutable_data_ptr<float>());
    return std::tuple_cat(std::make_tuple(sum), found);
}

Normalized added_layer_norm_over(Tensor& data, const MaybeTensor& other, const MaybeTensor& bias, const Tensor& gamma,
                                 const Tensor& beta, double eps) {
    return normalized_sum(data, other, bias, gamma, beta, eps, data.mutable_data_ptr<float>());
}

// A row, and the gradient behind its normalization.
struct GradientRow {
    const float *x, *grad, *gamma;
    int64_t length;
    float mean, inverse;

    // The normalized numbers; beyond the end of the row 0.
    template <class Part>
    Vec place(Part part) const {
        return (part.load(x, mean) - mean) * inverse;
    }

    // Writes the gradient of the data, and adds to the sums over rows of it, and of the gradients of gamma and beta.
    void write(float* to, float* gamma_sum, float* beta_sum, float* bias_sum) const {
        Vec plain{}, along_x{};
        along(length, [&, *this](auto part) {
            const Vec upper = part.load(grad), at = place(part), scaled = upper * part.load(gamma);
            plain += scaled;
            along_x += scaled * at;
            part.store(gamma_sum, part.load(gamma_sum) + upper * at);
            part.store(beta_sum, part.load(beta_sum) + upper);
        });
        const float mean_plain = sum_of(plain) / length, mean_along = sum_of(along_x) / length;
        along(length, [=, *this](auto part) {
            const Vec scaled = part.load(grad) * part.load(gamma);
            const Vec found = (scaled - mean_plain - place(part) * mean_along) * inverse;
            part.store(to, found);
            part.store(bias_sum, part.load(bias_sum) + found);
        });
    }
};

// Gradients of the data, gamma and beta, and the sums over rows of the first: the gradient of a bias in the data.
std::tuple<Tensor, Tensor, Tensor, Tensor> layer_norm_backward(const Tensor& grad, const Tensor& data,
                                                               const Tensor& mean, const Tensor& inverse,
                                                               const Tensor& gamma) {
    const Rows rows = expected_rows(data);
    expect_shape(grad, data.sizes(), "grad");
    const float *from = data.const_data_ptr<float>(), *given = numbers_of(grad, data.numel(), "grad");
    const float *means = numbers_of(mean, rows.count, "mean"), *inverses = numbers_of(inverse, rows.count, "inverse");
    const float* scale = numbers_of(gamma, rows.length, "gamma");
    Tensor result = allocate_like(data), of_gamma = allocate({rows.length});
    Tensor of_beta = allocate_like(of_gamma), of_bias = allocate_like(of_gamma);
    float* to = result.mutable_data_ptr<float>();
    const Shares shares(rows.count, rows.length);
    ColumnSums gammas(shares, rows.length), betas(shares, rows.length), biases(shares, rows.length);
    shares.each([&](int64_t share, int64_t first, int64_t last) {
        in_stretches(first, last, [&](int64_t above, int64_t below) {
            for (int64_t row = above; row < below; ++row) {
                const int64_t begin = rows.begin(row);
                const GradientRow known{from + begin, given + begin, scale, rows.length, means[row], inverses[row]};
                known.write(to + begin, gammas.of(share), betas.of(share), biases.of(share));
            }
            for (ColumnSums* sums : {&gammas, &betas, &biases}) {
                sums->carry(share);
            }
        });
    });
    gammas.finish(of_gamma.mutable_data_ptr<float>());
    betas.finish(of_beta.mutable_data_ptr<float>());
    biases.finish(of_bias.mutable_data_ptr<float>());
    return {result, of_gamma, of_beta, of_bias};
}

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(regluon, m) {
    m.def("layer_norm(Tensor data, Tensor gamma, Tensor beta, float eps) -> (Tensor, Tensor, Tensor)");
    m.def("added_layer_norm(Tensor data, Tensor? other, Tensor? bias, Tensor gamma, Tensor beta, float eps)"
          " -> (Tensor, Tensor, Tensor, Tensor)");
    m.def("added_layer_norm_(Tensor(a!) data, Tensor? other, Tensor? bias, Tensor gamma, Tensor beta, float eps)"
          " -> (Tensor, Tensor, Tensor)");
    m.def("layer_norm_backward(Tensor grad, Tensor data, Tensor mean, Tensor inverse, Tensor gamma)"
          " -> (Tensor, Tensor, Tensor, Tensor)");
}

STABLE_TORCH_LIBRARY_IMPL(regluon, CPU, m) {
    m.impl("layer_norm", TORCH_BOX(&layer_norm));
    m.impl("added_layer_norm", TORCH_BOX(&added_layer_norm));
    m.impl("added_layer_norm_", TORCH_BOX(&added_layer_norm_over));
    m.impl("layer_norm_backward", TORCH_BOX(&layer_norm_backward));
}

}  // namespace regluon::normalization
