// Batch normalization in training, with the sum and relu behind it; channels are last in memory.

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
using Numbers = std::vector<float>;

constexpr int64_t kBlock = 4096;  // numbers that stay in the nearest cache

// An array as rows of channels.
struct Rows {
    int64_t count, channels;

    explicit Rows(const Tensor& data) : count(data.numel() / data.size(1)), channels(data.size(1)) {}
};

void expect_channels_last(const Tensor& data, const char* name) {
    const bool is_last = data.dim() == 2 ? data.is_contiguous() : data.is_contiguous(at::MemoryFormat::ChannelsLast);
    TORCH_CHECK(data.scalar_type() == at::kFloat && (data.dim() == 2 || data.dim() == 4) && data.numel() > 0 && is_last,
                name, " of ", data.scalar_type(), " with shape ", data.sizes(), " and strides ", data.strides(),
                "; expected float32 of 2 or 4 dimensions with elements, channels last in memory");
}

void expect_alike(const Tensor& data, const Tensor& other, const char* name) {
    expect_channels_last(other, name);
    TORCH_CHECK(other.sizes() == data.sizes(), name, " of shape ", other.sizes(), "; expected ", data.sizes());
}

const float* channel_numbers(const Tensor& vector, int64_t channels, const char* name) {
    TORCH_CHECK(vector.scalar_type() == at::kFloat && vector.is_contiguous() && vector.numel() == channels,
                name, " of ", vector.scalar_type(), " with shape ", vector.sizes(), "; expected contiguous float32 of ",
                channels, " elements");
    return vector.const_data_ptr<float>();
}

// Calls function(first row, row after the last) for stretches that stay in the nearest cache.
template <class Function>
void in_blocks(int64_t first, int64_t last, int64_t channels, const Function& function) {
    const int64_t step = std::max<int64_t>(kBlock / channels, 4);
    for (int64_t row = first; row < last; row += step) {
        function(row, std::min(row + step, last));
    }
}

// Means of channels, and the sums of squares around them, of some rows.
struct Moments {
    explicit Moments(int64_t channels) : mean(channels), squares(channels) {}

    // Takes in what is known of other rows, for one part of the channels. It never subtracts large numbers from each
    // other, so that the variance is right however far the mean is from 0.
    template <class Part>
    void merge(Part part, int64_t others, Vec other_mean, Vec other_squares) {
        const float share = static_cast<float>(others) / static_cast<float>(count + others);
        const Vec before = part.load(mean.data()), away = other_mean - before;
        const Vec sum = part.load(squares.data()) + other_squares;
        part.store(mean.data(), before + away * share);
        part.store(squares.data(), sum + away * away * (share * static_cast<float>(count)));
    }

    int64_t count = 0;
    Numbers mean, squares;
};

void collect(const float* data, int64_t first, int64_t last, int64_t channels, Moments& moments) {
    in_blocks(first, last, channels, [&](int64_t from, int64_t to) {
        along(channels, [&](auto part) {
            Vec sum{}, squares{};
            for (int64_t row = from; row < to; ++row) {
                sum += part.load(data + row * channels);
            }
            const Vec mean = sum / static_cast<float>(to - from);
            for (int64_t row = from; row < to; ++row) {
                const Vec away = part.load(data + row * channels) - mean;
                squares += away * away;
            }
            moments.merge(part, to - from, mean, squares);
        });
        moments.count += to - from;
    });
}

Moments moments_of(const float* data, const Rows& rows, const Shares& shares) {
    std::vector<Moments> found(shares.count, Moments(rows.channels));
    shares.each([&](int64_t share, int64_t first, int64_t last) {
        collect(data, first, last, rows.channels, found[share]);
    });
    for (int64_t share = 1; share < shares.count; ++share) {
        const Moments& other = found[share];
        along(rows.channels, [&](auto part) {
            found[0].merge(part, other.count, part.load(other.mean.data()), part.load(other.squares.data()));
        });
        found[0].count += other.count;
    }
    return found[0];
}

// What the numbers of a channel are multiplied by, and what is added then.
struct Line {
    Numbers factor, offset;

    Line(const float* mean, const float* inverse, const float* gamma, const float* beta, int64_t channels)
        : factor(channels), offset(channels) {
        for (int64_t channel = 0; channel < channels; ++channel) {
            factor[channel] = inverse[channel] * (gamma ? gamma[channel] : 1.0f);
            offset[channel] = beta[channel] - mean[channel] * factor[channel];
        }
    }

    template <class Part>
    Vec at(Part part, Vec x) const {
        return x * part.load(factor.data()) + part.load(offset.data());
    }
};

inline Vec positive(Vec x) {
    return x < 0.0f ? Vec{} : x;  // not a number stays one
}

// The result, means and inverse deviations of the batch, and the new moving averages.
std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> batch_norm(
    const Tensor& data, const MaybeTensor& other, const MaybeTensor& gamma, const Tensor& beta,
    const Tensor& moving_mean, const Tensor& moving_var, double eps, double momentum, bool relu) {
    expect_channels_last(data, "data");
    if (other) {
        expect_alike(data, *other, "other");
    }
    const Rows rows(data);
    const int64_t channels = rows.channels;
    const Shares shares(rows.count, channels);
    const float* from = data.const_data_ptr<float>();
    const Moments moments = moments_of(from, rows, shares);
    Tensor mean = at::empty({channels}, data.options()), inverse = at::empty_like(mean);
    Tensor new_mean = at::empty_like(mean), new_var = at::empty_like(mean);
    const float* old_mean = channel_numbers(moving_mean, channels, "moving_mean");
    const float* old_var = channel_numbers(moving_var, channels, "moving_var");
    const float keep = static_cast<float>(momentum), take = static_cast<float>(1 - momentum);
    float *means = mean.mutable_data_ptr<float>(), *inverses = inverse.mutable_data_ptr<float>();
    float *new_means = new_mean.mutable_data_ptr<float>(), *new_vars = new_var.mutable_data_ptr<float>();
    for (int64_t channel = 0; channel < channels; ++channel) {
        const float var = moments.squares[channel] / static_cast<float>(rows.count);
        means[channel] = moments.mean[channel];
        inverses[channel] = 1.0f / std::sqrt(var + static_cast<float>(eps));
        new_means[channel] = keep * old_mean[channel] + take * moments.mean[channel];
        new_vars[channel] = keep * old_var[channel] + take * var;
    }
    const float* scale = gamma ? channel_numbers(*gamma, channels, "gamma") : nullptr;
    const Line line(means, inverses, scale, channel_numbers(beta, channels, "beta"), channels);
    Tensor result = at::empty_like(data);
    float* to = result.mutable_data_ptr<float>();
    const float* others = other ? other->const_data_ptr<float>() : nullptr;
    shares.each([&](int64_t, int64_t first, int64_t last) {
        for (int64_t begin = first * channels; begin < last * channels; begin += channels) {
            along(channels, [&](auto part) {
                Vec value = line.at(part, part.load(from + begin));
                value = others ? value + part.load(others + begin) : value;
                part.store(to + begin, relu ? positive(value) : value);
            });
        }
    });
    return {result, mean, inverse, new_mean, new_var};
}

// Sums over rows of the gradient behind the normalization, and of its products with the normalized numbers.
struct GradientSums {
    GradientSums(const Shares& shares, int64_t channels) : plain(shares, channels), along_data(shares, channels) {}

    ColumnSums plain, along_data;
};

// Gradients of the data, gamma and beta, where `upper(part, begin)` gives the gradient behind the normalization.
template <class First, class Upper>
std::tuple<Tensor, Tensor, Tensor> normalized_backward(const Tensor& data, const float* gamma, const float* mean,
                                                       const float* inverse, const First& first_upper,
                                                       const Upper& upper) {
    const Rows rows(data);
    const int64_t channels = rows.channels;
    const Shares shares(rows.count, channels);
    const float* from = data.const_data_ptr<float>();
    GradientSums sums(shares, channels);
    shares.each([&](int64_t share, int64_t first, int64_t last) {
        float *plain = sums.plain.of(share), *along_data = sums.along_data.of(share);
        in_blocks(first, last, channels, [&](int64_t begin, int64_t end) {
            along(channels, [&](auto part) {
                const Vec centre = part.load(mean);
                Vec sum = part.load(plain), products{};
                for (int64_t row = begin; row < end; ++row) {
                    const Vec grad = first_upper(part, row * channels);
                    sum += grad;
                    products += grad * (part.load(from + row * channels) - centre);
                }
                part.store(plain, sum);
                part.store(along_data, part.load(along_data) + products * part.load(inverse));
            });
        });
    });
    Tensor result = at::empty_like(data), of_gamma = at::empty({channels}, data.options());
    Tensor of_beta = at::empty_like(of_gamma);
    float *gamma_grad = of_gamma.mutable_data_ptr<float>(), *beta_grad = of_beta.mutable_data_ptr<float>();
    sums.along_data.finish(gamma_grad);
    sums.plain.finish(beta_grad);
    Numbers factor(channels), slope(channels), level(channels);
    for (int64_t channel = 0; channel < channels; ++channel) {
        factor[channel] = inverse[channel] * (gamma ? gamma[channel] : 1.0f);
        slope[channel] = inverse[channel] * gamma_grad[channel] / static_cast<float>(rows.count);
        level[channel] = beta_grad[channel] / static_cast<float>(rows.count);
    }
    float* to = result.mutable_data_ptr<float>();
    shares.each([&](int64_t, int64_t first, int64_t last) {
        for (int64_t begin = first * channels; begin < last * channels; begin += channels) {
            along(channels, [&](auto part) {
                const Vec away = part.load(from + begin) - part.load(mean);
                const Vec inner = upper(part, begin) - part.load(level.data()) - away * part.load(slope.data());
                part.store(to + begin, inner * part.load(factor.data()));
            });
        }
    });
    return {result, of_gamma, of_beta};
}

std::tuple<Tensor, Tensor, Tensor> batch_norm_backward(const Tensor& grad, const Tensor& data, const MaybeTensor& gamma,
                                                       const Tensor& beta, const Tensor& mean, const Tensor& inverse,
                                                       bool relu) {
    expect_channels_last(data, "data");
    expect_alike(data, grad, "grad");
    const int64_t channels = data.size(1);
    const float* means = channel_numbers(mean, channels, "mean");
    const float* inverses = channel_numbers(inverse, channels, "inverse");
    const float* scale = gamma ? channel_numbers(*gamma, channels, "gamma") : nullptr;
    const float *given = grad.const_data_ptr<float>(), *from = data.const_data_ptr<float>();
    if (!relu) {
        const auto upper = [=](auto part, int64_t begin) { return part.load(given + begin); };
        return normalized_backward(data, scale, means, inverses, upper, upper);
    }
    // Where relu cut off is seen from the data: the result need not be fetched.
    const Line line(means, inverses, scale, channel_numbers(beta, channels, "beta"), channels);
    const auto upper = [&](auto part, int64_t begin) {
        return line.at(part, part.load(from + begin)) > 0.0f ? part.load(given + begin) : Vec{};
    };
    return normalized_backward(data, scale, means, inverses, upper, upper);
}

// The same behind a sum and relu; the gradient of the other summand comes first.
std::tuple<Tensor, Tensor, Tensor, Tensor> batch_norm_sum_backward(const Tensor& grad, const Tensor& data,
                                                                   const Tensor& result, const MaybeTensor& gamma,
                                                                   const Tensor& mean, const Tensor& inverse) {
    expect_channels_last(data, "data");
    expect_alike(data, grad, "grad");
    expect_alike(data, result, "result");
    const int64_t channels = data.size(1);
    const float* means = channel_numbers(mean, channels, "mean");
    const float* inverses = channel_numbers(inverse, channels, "inverse");
    const float* scale = gamma ? channel_numbers(*gamma, channels, "gamma") : nullptr;
    Tensor other = at::empty_like(data);
    const float *given = grad.const_data_ptr<float>(), *results = result.const_data_ptr<float>();
    float* others = other.mutable_data_ptr<float>();
    const auto first_upper = [=](auto part, int64_t begin) {
        const Vec found = part.load(results + begin) > 0.0f ? part.load(given + begin) : Vec{};
        part.store(others + begin, found);
        return found;
    };
    const auto upper = [=](auto part, int64_t begin) { return part.load(others + begin); };
    return std::tuple_cat(std::make_tuple(other),
                          normalized_backward(data, scale, means, inverses, first_upper, upper));
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(regluon, m) {
    m.def("batch_norm(Tensor data, Tensor? other, Tensor? gamma, Tensor beta, Tensor moving_mean, Tensor moving_var,"
          " float eps, float momentum, bool relu) -> (Tensor, Tensor, Tensor, Tensor, Tensor)");
    m.def("batch_norm_backward(Tensor grad, Tensor data, Tensor? gamma, Tensor beta, Tensor mean, Tensor inverse,"
          " bool relu) -> (Tensor, Tensor, Tensor)");
    m.def("batch_norm_sum_backward(Tensor grad, Tensor data, Tensor result, Tensor? gamma, Tensor mean, Tensor inverse)"
          " -> (Tensor, Tensor, Tensor, Tensor)");
    m.impl("batch_norm", c10::DispatchKey::CPU, TORCH_FN(batch_norm));
    m.impl("batch_norm_backward", c10::DispatchKey::CPU, TORCH_FN(batch_norm_backward));
    m.impl("batch_norm_sum_backward", c10::DispatchKey::CPU, TORCH_FN(batch_norm_sum_backward));
}

}  // namespace regluon
