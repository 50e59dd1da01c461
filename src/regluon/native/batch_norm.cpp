// Batch normalization in training, with the sum and relu behind it; channels are last in memory.

#include "rows.h"

#include <tuple>
#include <vector>

namespace regluon::batch_norm {
namespace {

using Numbers = std::vector<float>;

constexpr int64_t kBlock = 4096;                // numbers of a few arrays that stay in the nearest cache
constexpr int64_t kFewRows = 4, kManyRows = 8;  // of a block: memory is read nearly in its own order

// An array as rows of channels.
Rows expected_rows(const Tensor& data, const char* name) {
    const bool is_last = data.dim() == 2 ? data.is_contiguous() : is_channels_last(data);
    REGLUON_CHECK(data.scalar_type() == kFloat && (data.dim() == 2 || data.dim() == 4) && data.numel() > 0 && is_last,
                  name, " of ", data.scalar_type(), " with shape ", data.sizes(), " and strides ", data.strides(),
                  "; expected float32 of 2 or 4 dimensions with elements, channels last in memory");
    return {data.numel() / data.size(1), data.size(1)};
}

// The numbers of an array that is laid out as the data are.
const float* numbers_alike(const Tensor& other, const Tensor& data, const char* name) {
    expected_rows(other, name);
    expect_shape(other, data.sizes(), name);
    return other.const_data_ptr<float>();
}

// Calls function(first row, row after the last) for blocks of rows: what channels need is fetched once for each.
template <class Function>
void in_blocks(int64_t first, int64_t last, int64_t channels, const Function& function) {
    const int64_t step = std::clamp(kBlock / channels, kFewRows, kManyRows);
    for (int64_t row = first; row < last; row += step) {
        function(row, std::min(row + step, last));
    }
}

inline Vec positive(Vec x) {
    return x < 0.0f ? Vec{} : x;  // not a number stays one
}

// Means and variances of channels.
struct Moments {
    Numbers mean, var;
};

// A number near the mean of each channel: the mean of the first rows.
Numbers pivots_of(const float* data, int64_t rows, int64_t channels) {
    const int64_t count = std::min<int64_t>(rows, 16);
    Numbers pivots(channels);
    for (int64_t begin = 0; begin < count * channels; begin += channels) {
        along(channels,
              [&](auto part) { part.store(pivots.data(), part.load(pivots.data()) + part.load(data + begin)); });
    }
    for (float& pivot : pivots) {
        pivot = std::isfinite(pivot) ? pivot / static_cast<float>(count) : 0.0f;
    }
    return pivots;
}

// The differences from a number near the mean are summed up, and their squares. No large numbers are subtracted from each
// other, so that the variance is right however far the mean is from 0, and a channel of equal numbers has exactly their
// mean and no variance.
Moments moments_of(const float* data, int64_t rows, int64_t channels, const Shares& shares) {
    const Numbers pivots = pivots_of(data, rows, channels);
    ColumnSums plain_sums(shares, channels), square_sums(shares, channels);
    shares.each([&](int64_t share, int64_t first, int64_t last) {
        float *plain = plain_sums.of(share), *squares = square_sums.of(share);
        in_stretches(first, last, [&](int64_t above, int64_t below) {
            in_blocks(above, below, channels, [&](int64_t from, int64_t to) {
                along(channels, [&](auto part) {
                    const Vec pivot = part.load(pivots.data());
                    Vec sum = part.load(plain), square_sum = part.load(squares);
                    for (int64_t row = from; row < to; ++row) {
                        const Vec away = part.load(data + row * channels) - pivot;
                        sum += away;
                        square_sum += away * away;
                    }
                    part.store(plain, sum);
                    part.store(squares, square_sum);
                });
            });
            plain_sums.carry(share);
            square_sums.carry(share);
        });
    });
    Moments found{Numbers(channels), Numbers(channels)};
    for (int64_t channel = 0; channel < channels; ++channel) {
        const double away = plain_sums.sum(channel) / rows, var = square_sums.sum(channel) / rows - away * away;
        found.mean[channel] = static_cast<float>(pivots[channel] + away);
        found.var[channel] = var < 0 ? 0.0f : static_cast<float>(var);  // not a number stays one
    }
    return found;
}

// How channels are normalized; without gamma it counts as 1.
struct Normal {
    const float *mean, *inverse, *gamma;

    Normal(const Tensor& mean, const Tensor& inverse, const MaybeTensor& gamma, int64_t channels)
        : mean(numbers_of(mean, channels, "mean")),
          inverse(numbers_of(inverse, channels, "inverse")),
          gamma(numbers_of(gamma, channels, "gamma")) {}

    float factor(int64_t channel) const { return inverse[channel] * (gamma ? gamma[channel] : 1.0f); }
};

// From the numbers of a channel to the normalized ones. The mean is subtracted first: multiplied out, its digits would be
// lost where it is far from 0 and the deviation is small.
struct Line {
    const float *mean, *beta;
    Numbers factor;

    Line(const Normal& normal, const Tensor& beta, int64_t channels)
        : mean(normal.mean), beta(numbers_of(beta, channels, "beta")), factor(channels) {
        for (int64_t channel = 0; channel < channels; ++channel) {
            factor[channel] = normal.factor(channel);
        }
    }

    // For some channels; what it needs of them stays in registers.
    template <class Part>
    auto of(Part part) const {
        const Vec centre = part.load(mean), scale = part.load(factor.data()), level = part.load(beta);
        return [=](Vec x) { return (x - centre) * scale + level; };
    }
};

// Calls function(part), and what that returns with the place of each row of that part: channels outside, rows inside, a
// few of them at a time so that all stays in the nearest cache.
template <class Function>
void each_channel(const Shares& shares, int64_t channels, const Function& function) {
    shares.each([&](int64_t, int64_t first, int64_t last) {
        in_blocks(first, last, channels, [&](int64_t above, int64_t below) {
            along(channels, [&](auto part) {
                const auto apply = function(part);
                for (int64_t row = above; row < below; ++row) apply(row * channels);
            });
        });
    });
}

// Means and inverse deviations of the batch, and the new moving averages.
using Averages = std::tuple<Tensor, Tensor, Tensor, Tensor>;

Averages averages_of(const Moments& moments, const Tensor& moving_mean, const Tensor& moving_var, double eps,
                     double momentum) {
    const int64_t channels = moments.mean.size();
    const float* old_mean = numbers_of(moving_mean, channels, "moving_mean");
    const float* old_var = numbers_of(moving_var, channels, "moving_var");
    Tensor mean = allocate({channels}), inverse = allocate_like(mean);
    Tensor new_mean = allocate_like(mean), new_var = allocate_like(mean);
    float *means = mean.mutable_data_ptr<float>(), *inverses = inverse.mutable_data_ptr<float>();
    float *new_means = new_mean.mutable_data_ptr<float>(), *new_vars = new_var.mutable_data_ptr<float>();
    const float keep = static_cast<float>(momentum), take = static_cast<float>(1 - momentum);
    for (int64_t channel = 0; channel < channels; ++channel) {
        const float var = moments.var[channel];
        means[channel] = moments.mean[channel];
        inverses[channel] = 1.0f / std::sqrt(var + static_cast<float>(eps));
        new_means[channel] = keep * old_mean[channel] + take * means[channel];
        new_vars[channel] = keep * old_var[channel] + take * var;
    }
    return {mean, inverse, new_mean, new_var};
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> batch_norm(const Tensor& data, const MaybeTensor& other,
                                                              const MaybeTensor& gamma, const Tensor& beta,
                                                              const Tensor& moving_mean, const Tensor& moving_var,
                                                              double eps, double momentum, bool relu) {
    const Rows rows = expected_rows(data, "data");
    const int64_t channels = rows.length;
    const float* others = other ? numbers_alike(*other, data, "other") : nullptr;
    const float* from = data.const_data_ptr<float>();
    const Shares shares(rows.count, channels);
    const Moments moments = moments_of(from, rows.count, channels, shares);
    const Averages averages = averages_of(moments, moving_mean, moving_var, eps, momentum);
    const Normal normal(std::get<0>(averages), std::get<1>(averages), gamma, channels);
    const Line line(normal, beta, channels);
    Tensor result = allocate_like(data);
    float* to = result.mutable_data_ptr<float>();
    each_channel(shares, channels, [&](auto part) {
        return [=, normalized = line.of(part)](int64_t begin) {
            Vec value = normalized(part.load(from + begin));
            value = others ? value + part.load(others + begin) : value;
            part.store(to + begin, relu ? positive(value) : value);
        };
    });
    return std::tuple_cat(std::make_tuple(result), averages);
}

// Sums over rows of the gradient behind the normalization, and of its products with the normalized numbers: the
// gradients of beta and gamma.
template <class Upper>
void sum_gradients(const float* data, const Normal& normal, const Upper& upper, int64_t channels, const Shares& shares,
                   float* beta_grad, float* gamma_grad) {
    ColumnSums plain_sums(shares, channels), along_sums(shares, channels);
    shares.each([&](int64_t share, int64_t first, int64_t last) {
        float *plain = plain_sums.of(share), *along_data = along_sums.of(share);
        in_stretches(first, last, [&](int64_t above, int64_t below) {
            in_blocks(above, below, channels, [&](int64_t begin, int64_t end) {
                along(channels, [&](auto part) {
                    const Vec centre = part.load(normal.mean);
                    const auto upper_of = upper(part);
                    Vec sum = part.load(plain), products{};
                    for (int64_t row = begin; row < end; ++row) {
                        const Vec grad = upper_of(row * channels);
                        sum += grad;
                        products += grad * (part.load(data + row * channels) - centre);
                    }
                    part.store(plain, sum);
                    part.store(along_data, part.load(along_data) + products * part.load(normal.inverse));
                });
            });
            plain_sums.carry(share);
            along_sums.carry(share);
        });
    });
    plain_sums.finish(beta_grad);
    along_sums.finish(gamma_grad);
}

// Gradients of the data, gamma and beta, where `upper(part)(begin)` gives the gradient behind the normalization; so
// does `first_upper`, which is called before it for each number.
template <class First, class Upper>
std::tuple<Tensor, Tensor, Tensor> normalized_backward(const Tensor& data, const Normal& normal,
                                                       const First& first_upper, const Upper& upper) {
    const Rows rows = expected_rows(data, "data");
    const int64_t channels = rows.length;
    const Shares shares(rows.count, channels);
    const float* from = data.const_data_ptr<float>();
    Tensor result = allocate_like(data), of_gamma = allocate({channels});
    Tensor of_beta = allocate_like(of_gamma);
    float *gamma_grad = of_gamma.mutable_data_ptr<float>(), *beta_grad = of_beta.mutable_data_ptr<float>();
    sum_gradients(from, normal, first_upper, channels, shares, beta_grad, gamma_grad);
    Numbers factor(channels), slope(channels), level(channels);
    for (int64_t channel = 0; channel < channels; ++channel) {
        factor[channel] = normal.factor(channel);
        slope[channel] = normal.inverse[channel] * gamma_grad[channel] / static_cast<float>(rows.count);
        level[channel] = beta_grad[channel] / static_cast<float>(rows.count);
    }
    float* to = result.mutable_data_ptr<float>();
    each_channel(shares, channels, [&](auto part) {
        const Vec centre = part.load(normal.mean), rise = part.load(slope.data());
        const Vec base = part.load(level.data()), scale = part.load(factor.data());
        return [=, upper_of = upper(part)](int64_t begin) {
            const Vec away = part.load(from + begin) - centre;
            part.store(to + begin, (upper_of(begin) - base - away * rise) * scale);
        };
    });
    return {result, of_gamma, of_beta};
}

std::tuple<Tensor, Tensor, Tensor> batch_norm_backward(const Tensor& grad, const Tensor& data, const MaybeTensor& gamma,
                                                       const Tensor& beta, const Tensor& mean, const Tensor& inverse,
                                                       bool relu) {
    const int64_t channels = expected_rows(data, "data").length;
    const Normal normal(mean, inverse, gamma, channels);
    const float *given = numbers_alike(grad, data, "grad"), *from = data.const_data_ptr<float>();
    if (!relu) {
        const auto upper = [=](auto part) { return [=](int64_t begin) { return part.load(given + begin); }; };
        return normalized_backward(data, normal, upper, upper);
    }
    // Where relu cut off is seen from the data: the result need not be fetched.
    const Line line(normal, beta, channels);
    const auto upper = [&](auto part) {
        return [=, normalized = line.of(part)](int64_t begin) {
            return normalized(part.load(from + begin)) <= 0.0f ? Vec{} : part.load(given + begin);
        };
    };
    return normalized_backward(data, normal, upper, upper);
}

// The same behind a sum and relu; the gradient of the other summand comes first.
std::tuple<Tensor, Tensor, Tensor, Tensor> batch_norm_sum_backward(const Tensor& grad, const Tensor& data,
                                                                   const Tensor& result, const MaybeTensor& gamma,
                                                                   const Tensor& mean, const Tensor& inverse) {
    const Normal normal(mean, inverse, gamma, expected_rows(data, "data").length);
    const float *given = numbers_alike(grad, data, "grad"), *results = numbers_alike(result, data, "result");
    Tensor other = allocate_like(data);
    float* others = other.mutable_data_ptr<float>();
    const auto first_upper = [=](auto part) {
        return [=](int64_t begin) {
            const Vec found = part.load(results + begin) <= 0.0f ? Vec{} : part.load(given + begin);
            part.store(others + begin, found);
            return found;
        };
    };
    const auto upper = [=](auto part) { return [=](int64_t begin) { return part.load(others + begin); }; };
    return std::tuple_cat(std::make_tuple(other), normalized_backward(data, normal, first_upper, upper));
}

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(regluon, m) {
    m.def("batch_norm(Tensor data, Tensor? other, Tensor? gamma, Tensor beta, Tensor moving_mean, Tensor moving_var,"
          " float eps, float momentum, bool relu) -> (Tensor, Tensor, Tensor, Tensor, Tensor)");
    m.def("batch_norm_backward(Tensor grad, Tensor data, Tensor? gamma, Tensor beta, Tensor mean, Tensor inverse,"
          " bool relu) -> (Tensor, Tensor, Tensor)");
    m.def("batch_norm_sum_backward(Tensor grad, Tensor data, Tensor result, Tensor? gamma, Tensor mean, Tensor inverse)"
          " -> (Tensor, Tensor, Tensor, Tensor)");
}

STABLE_TORCH_LIBRARY_IMPL(regluon, CPU, m) {
    m.impl("batch_norm", TORCH_BOX(&batch_norm));
    m.impl("batch_norm_backward", TORCH_BOX(&batch_norm_backward));
    m.impl("batch_norm_sum_backward", TORCH_BOX(&batch_norm_sum_backward));
}

}  // namespace regluon::batch_norm
