// Eight numbers at a time: what kernels that walk along rows of float32 are written with.
//
// The compiler turns these vectors into whatever registers the processor has.

#pragma once

#include <ATen/Parallel.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace regluon {

constexpr int64_t kLanes = 8;
typedef float Vec __attribute__((vector_size(4 * kLanes)));
typedef int32_t IntVec __attribute__((vector_size(4 * kLanes)));

inline Vec splat(float value) {
    return Vec{value, value, value, value, value, value, value, value};
}

// Eight neighbours, beginning at a place of a row.
struct Whole {
    int64_t place;

    Vec load(const float* row, float = 0) const {
        Vec found;
        std::memcpy(&found, row + place, sizeof(Vec));
        return found;
    }

    void store(float* row, Vec values) const {
        std::memcpy(row + place, &values, sizeof(Vec));
    }
};

// Fewer than eight, at the end of a row; the lanes that are left hold a number that does no harm.
struct Rest {
    int64_t place;
    int64_t count;

    Vec load(const float* row, float otherwise = 0) const {
        Vec found = splat(otherwise);
        std::memcpy(&found, row + place, count * sizeof(float));
        return found;
    }

    void store(float* row, Vec values) const {
        std::memcpy(row + place, &values, count * sizeof(float));
    }
};

// Calls a function with each Whole, and the Rest, of a row.
template <class Function>
inline __attribute__((always_inline)) void along(int64_t length, const Function& function) {
    int64_t place = 0;
    for (; place + kLanes <= length; place += kLanes) {
        function(Whole{place});
    }
    if (place < length) {
        function(Rest{place, length - place});
    }
}

inline float sum_of(Vec values) {
    return ((values[0] + values[4]) + (values[2] + values[6])) + ((values[1] + values[5]) + (values[3] + values[7]));
}

inline Vec larger(Vec a, Vec b) {
    return a > b ? a : b;
}

inline float largest_of(Vec values) {
    float found = values[0];
    for (int lane = 1; lane < kLanes; ++lane) {
        found = std::max(found, values[lane]);
    }
    return found;
}

// The exponential of numbers that are not above 0, right to about the last digit; not a number stays one.
inline Vec exponential(Vec x) {
    const Vec lowest = splat(-87.33654f);  // below, the result counts as 0
    const Vec inside = x < lowest ? lowest : x;
    // x = n * log(2) + rest; adding 1.5 * 2^23 leaves the nearest whole number in the last digits.
    const Vec shift = splat(12582912.0f);
    const Vec shifted = inside * 1.44269504f + shift;
    const Vec n = shifted - shift;
    const Vec rest = (inside - n * 0.693359375f) + n * 2.12194440e-4f;
    Vec sum = splat(1.0f / 720);
    sum = sum * rest + 1.0f / 120;
    sum = sum * rest + 1.0f / 24;
    sum = sum * rest + 1.0f / 6;
    sum = sum * rest + 0.5f;
    sum = sum * rest + 1.0f;
    sum = sum * rest + 1.0f;
    const IntVec power = (std::bit_cast<IntVec>(shifted) << 23) + std::bit_cast<IntVec>(splat(1.0f));
    return x < lowest ? Vec{} : sum * std::bit_cast<Vec>(power);
}

// How a number of rows is shared out: contiguous stretches, one to a thread, none of them small.
struct Shares {
    int64_t rows;
    int64_t count;

    Shares(int64_t rows, int64_t length)
        : rows(rows), count(std::clamp<int64_t>(std::min(rows * length / kLeast, rows), 1, at::get_num_threads())) {}

    // Calls function(share, first row, row after the last) for each share.
    template <class Function>
    void each(const Function& function) const {
        at::parallel_for(0, count, 1, [&](int64_t from, int64_t to) {
            for (int64_t share = from; share < to; ++share) {
                function(share, rows * share / count, rows * (share + 1) / count);
            }
        });
    }

private:
    static constexpr int64_t kLeast = 8192;  // numbers; below, waking a thread costs more than it saves
};

// Sums over rows, column by column, that threads collect apart from each other.
class ColumnSums {
public:
    ColumnSums(const Shares& shares, int64_t columns)
        : columns_(columns), stride_((columns + kApart - 1) / kApart * kApart), sums_(shares.count * stride_) {}

    // The sums of one share, to add to.
    float* of(int64_t share) {
        return sums_.data() + share * stride_;
    }

    // Adds up what the shares have.
    void finish(float* result) const {
        std::copy_n(sums_.data(), columns_, result);
        for (size_t first = stride_; first < sums_.size(); first += stride_) {
            for (int64_t column = 0; column < columns_; ++column) {
                result[column] += sums_[first + column];
            }
        }
    }

private:
    static constexpr int64_t kApart = 32;  // two lines of the cache, so that threads do not wait for each other
    int64_t columns_, stride_;
    std::vector<float> sums_;
};

}  // namespace regluon
