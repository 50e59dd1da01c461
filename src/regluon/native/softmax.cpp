// Softmax along rows, and what losses are made of.

#include "rows.h"

#include <tuple>
#include <type_traits>

namespace regluon::softmax {
namespace {

constexpr float kLowest = -std::numeric_limits<float>::infinity();

// Writes exp(scale * x - largest) to y; gives the largest of scale * x, and the sum of what was written.
struct Exponentials {
    float largest, sum;
};

Exponentials exponentials(const float* x, float* y, int64_t length, float scale) {
    const float nothing = scale < 0 ? -kLowest : kLowest;  // what stands beyond the end of a row
    Vec highest = splat(kLowest);
    Vec strange{};  // not a number where the row has something that is not a number
    along(length, [&](auto part) {
        const Vec value = part.load(x, nothing) * scale;
        highest = larger(value, highest);
        strange += value != value ? value : Vec{};
    });
    const float largest = largest_of(highest) + sum_of(strange);
    Vec sum{};
    along(length, [&](auto part) {
        const Vec value = exponential(part.load(x, nothing) * scale - largest);
        part.store(y, value);
        sum += value;
    });
    return {largest, sum_of(sum)};
}

void softmax_row(const float* x, float* y, int64_t length, float scale) {
    const float share = 1.0f / exponentials(x, y, length, scale).sum;
    along(length, [=](auto part) { part.store(y, part.load(y) * share); });
}

void softmax_rows(const float* from, float* to, const Tensor& data, double scale) {
    const int64_t length = data.size(-1), rows = length ? data.numel() / length : 0;
    Shares(rows, length).each([&](int64_t, int64_t first, int64_t last) {
        for (int64_t row = first; row < last; ++row) {
            softmax_row(from + row * length, to + row * length, length, static_cast<float>(scale));
        }
    });
}

void expect_scale(double scale) {
    REGLUON_CHECK(scale != 0 && std::isfinite(scale), "scale=", scale,
                  "; expected a number that is neither 0 nor infinite");
}

Tensor scaled_softmax(const Tensor& data, double scale) {
    expect_rows(data, "data");
    expect_scale(scale);
    Tensor result = allocate_like(data);
    softmax_rows(data.const_data_ptr<float>(), result.mutable_data_ptr<float>(), data, scale);
    return result;
}

void scaled_softmax_over(Tensor& data, double scale) {
    expect_rows(data, "data");
    expect_scale(scale);
    float* values = data.mutable_data_ptr<float>();
    softmax_rows(values, values, data, scale);
}

Tensor scaled_softmax_backward(const Tensor& grad, const Tensor& result, double scale) {
    expect_rows(grad, "grad");
    expect_rows(result, "result");
    REGLUON_CHECK(grad.sizes() == result.sizes(), "grad of shape ", grad.sizes(), "; expected ", result.sizes());
    Tensor found = allocate_like(result);
    const int64_t length = result.size(-1), rows = length ? result.numel() / length : 0;
    const float *given = grad.const_data_ptr<float>(), *kept = result.const_data_ptr<float>();
    float* to = found.mutable_data_ptr<float>();
    Shares(rows, length).each([&](int64_t, int64_t first, int64_t last) {
        for (int64_t row = first; row < last; ++row) {
            const float *g = given + row * length, *p = kept + row * length;
            float* y = to + row * length;
            Vec sum{};
            along(length, [&](auto part) { sum += part.load(g) * part.load(p); });
            const float mean = sum_of(sum), factor = static_cast<float>(scale);
            along(length, [=](auto part) { part.store(y, part.load(p) * (part.load(g) - mean) * factor); });
        }
    });
    return found;
}

// A class as a place in a row: what is out of range goes to the nearest, and what is beyond all integers to the first,
// as MXNet's conversion has it (ops/gather.py).
template <class Number>
int64_t place_of(Number given, int64_t length) {
    if (!(given >= 1) || (std::is_floating_point_v<Number> && given >= static_cast<Number>(2147483648.0))) {
        return 0;
    }
    return given >= static_cast<Number>(length) ? length - 1 : static_cast<int64_t>(given);
}

template <class Function>
void with_classes(const Tensor& index, const Function& function) {
    switch (index.scalar_type()) {
        case kFloat: return function(index.const_data_ptr<float>());
        case ScalarType::Int: return function(index.const_data_ptr<int32_t>());
        case ScalarType::Long: return function(index.const_data_ptr<int64_t>());
        default: REGLUON_CHECK(false, "index of ", index.scalar_type(), "; expected float32, int32 or int64");
    }
}

void expect_classes(const Tensor& data, const Tensor& index) {
    expect_rows(data, "data");
    REGLUON_CHECK(data.size(-1) > 0 && index.is_contiguous() && index.numel() * data.size(-1) == data.numel(),
                  "index of shape ", index.sizes(), " for data of shape ", data.sizes(),
                  "; expected contiguous classes, one for each row");
}

// The negated logarithm of the softmax at one class of each row, and the softmax, which the gradient needs.
std::tuple<Tensor, Tensor> cross_entropy(const Tensor& data, const Tensor& index) {
    expect_classes(data, index);
    const int64_t length = data.size(-1), rows = data.numel() / length;
    auto shape = data.sizes().vec();
    shape.back() = 1;
    Tensor loss = allocate(shape), probabilities = allocate_like(data);
    const float* from = data.const_data_ptr<float>();
    float *to = probabilities.mutable_data_ptr<float>(), *losses = loss.mutable_data_ptr<float>();
    with_classes(index, [&](const auto* classes) {
        Shares(rows, length).each([&](int64_t, int64_t first, int64_t last) {
            for (int64_t row = first; row < last; ++row) {
                const float* x = from + row * length;
                float* p = to + row * length;
                const Exponentials found = exponentials(x, p, length, 1);
                const float share = 1.0f / found.sum;
                along(length, [=](auto part) { part.store(p, part.load(p) * share); });
                losses[row] = (found.largest - x[place_of(classes[row], length)]) + std::log(found.sum);
            }
        });
    });
    return {loss, probabilities};
}

Tensor cross_entropy_backward(const Tensor& grad, const Tensor& probabilities, const Tensor& index) {
    expect_classes(probabilities, index);
    expect_rows(grad, "grad");
    REGLUON_CHECK(grad.numel() == index.numel(), "grad of shape ", grad.sizes(), "; expected ", index.numel(),
                  " elements");
    const int64_t length = probabilities.size(-1), rows = probabilities.numel() / length;
    Tensor result = allocate_like(probabilities);
    const float *given = grad.const_data_ptr<float>(), *kept = probabilities.const_data_ptr<float>();
    float* to = result.mutable_data_ptr<float>();
    with_classes(index, [&](const auto* classes) {
        Shares(rows, length).each([&](int64_t, int64_t first, int64_t last) {
            for (int64_t row = first; row < last; ++row) {
                const float *p = kept + row * length, factor = given[row];
                float* y = to + row * length;
                along(length, [=](auto part) { part.store(y, part.load(p) * factor); });
                y[place_of(classes[row], length)] -= factor;
            }
        });
    });
    return result;
}

void expect_samples(const Tensor& lhs, const Tensor& rhs) {
    expect_rows(lhs, "lhs");
    expect_rows(rhs, "rhs");
    REGLUON_CHECK(lhs.sizes() == rhs.sizes() && lhs.numel() > 0, "lhs of shape ", lhs.sizes(), " and rhs of shape ",
                  rhs.sizes(), "; expected equal shapes, with elements");
}

// The squared difference of two rows, summed up: in double precision from stretch to stretch.
double squared_distance(const float* a, const float* b, int64_t length) {
    constexpr int64_t stretch = 1024;
    double total = 0;
    for (int64_t begin = 0; begin < length; begin += stretch) {
        Vec sum{};
        along(std::min(stretch, length - begin), [&](auto part) {
            const Vec away = part.load(a + begin) - part.load(b + begin);
            sum += away * away;
        });
        total += sum_of(sum);
    }
    return total;
}

// For each position along the first axis, the mean of scale * (lhs - rhs)^2.
Tensor mean_square(const Tensor& lhs, const Tensor& rhs, double scale) {
    expect_samples(lhs, rhs);
    const int64_t samples = lhs.size(0), length = lhs.numel() / samples;
    Tensor result = allocate({samples});
    const float *left = lhs.const_data_ptr<float>(), *right = rhs.const_data_ptr<float>();
    float* to = result.mutable_data_ptr<float>();
    Shares(samples, length).each([&](int64_t, int64_t first, int64_t last) {
        for (int64_t sample = first; sample < last; ++sample) {
            const int64_t begin = sample * length;
            to[sample] = static_cast<float>(squared_distance(left + begin, right + begin, length) * scale / length);
        }
    });
    return result;
}

// The gradient of lhs; that of rhs with -scale.
Tensor mean_square_backward(const Tensor& grad, const Tensor& lhs, const Tensor& rhs, double scale) {
    expect_samples(lhs, rhs);
    expect_rows(grad, "grad");
    const int64_t samples = lhs.size(0), length = lhs.numel() / samples;
    REGLUON_CHECK(grad.numel() == samples, "grad of shape ", grad.sizes(), "; expected ", samples, " elements");
    Tensor result = allocate_like(lhs);
    const float* given = grad.const_data_ptr<float>();
    const float *left = lhs.const_data_ptr<float>(), *right = rhs.const_data_ptr<float>();
    float* to = result.mutable_data_ptr<float>();
    Shares(samples, length).each([&](int64_t, int64_t first, int64_t last) {
        for (int64_t sample = first; sample < last; ++sample) {
            const float factor = static_cast<float>(given[sample] * (2 * scale / length));
            const float *a = left + sample * length, *b = right + sample * length;
            float* y = to + sample * length;
            along(length, [=](auto part) { part.store(y, (part.load(a) - part.load(b)) * factor); });
        }
    });
    return result;
}

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(regluon, m) {
    m.def("scaled_softmax(Tensor data, float scale) -> Tensor");
    m.def("scaled_softmax_(Tensor(a!) data, float scale) -> ()");
    m.def("scaled_softmax_backward(Tensor grad, Tensor result, float scale) -> Tensor");
    m.def("cross_entropy(Tensor data, Tensor index) -> (Tensor, Tensor)");
    m.def("cross_entropy_backward(Tensor grad, Tensor probabilities, Tensor index) -> Tensor");
    m.def("mean_square(Tensor lhs, Tensor rhs, float scale) -> Tensor");
    m.def("mean_square_backward(Tensor grad, Tensor lhs, Tensor rhs, float scale) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(regluon, CPU, m) {
    m.impl("scaled_softmax", TORCH_BOX(&scaled_softmax));
    m.impl("scaled_softmax_", TORCH_BOX(&scaled_softmax_over));
    m.impl("scaled_softmax_backward", TORCH_BOX(&scaled_softmax_backward));
    m.impl("cross_entropy", TORCH_BOX(&cross_entropy));
    m.impl("cross_entropy_backward", TORCH_BOX(&cross_entropy_backward));
    m.impl("mean_square", TORCH_BOX(&mean_square));
    m.impl("mean_square_backward", TORCH_BOX(&mean_square_backward));
}

}  // namespace regluon::softmax
