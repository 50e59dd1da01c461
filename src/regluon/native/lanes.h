// Eight numbers at a time: what kernels of float32 are written with.
//
// The compiler turns these vectors into whatever registers the processor has.

#pragma once

#include "shares.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace regluon {

constexpr int64_t kLanes = 8;
typedef float Vec __attribute__((vector_size(4 * kLanes)));
typedef int32_t IntVec __attribute__((vector_size(4 * kLanes)));
typedef float LooseVec __attribute__((vector_size(4 * kLanes), aligned(4), may_alias));  // anywhere in memory

inline Vec splat(float value) {
    return Vec{value, value, value, value, value, value, value, value};
}

inline Vec load(const float* from) {
    return *reinterpret_cast<const LooseVec*>(from);
}

inline void store(float* to, Vec values) {
    *reinterpret_cast<LooseVec*>(to) = values;
}

// Eight neighbours, beginning at a place of a row.
struct Whole {
    int64_t place;

    Vec load(const float* row, float = 0) const {
        Vec found;
        std::memcpy(&found, row + place, sizeof(Vec));
        return found;
    }

    void store(float* row, Vec values) const { std::memcpy(row + place, &values, sizeof(Vec)); }
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

    void store(float* row, Vec values) const { std::memcpy(row + place, &values, count * sizeof(float)); }
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

// Turns eight rows of eight numbers into columns.
inline void transpose(Vec (&rows)[kLanes]) {
#if defined(__has_builtin) && __has_builtin(__builtin_shufflevector)
    Vec pairs[kLanes], fours[kLanes];
    for (int64_t i = 0; i < kLanes; i += 2) {
        pairs[i] = __builtin_shufflevector(rows[i], rows[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        pairs[i + 1] = __builtin_shufflevector(rows[i], rows[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int64_t i = 0; i < kLanes; i += 4) {
        for (int64_t j = 0; j < 2; ++j) {
            const Vec upper = pairs[i + j], lower = pairs[i + j + 2];
            fours[i + 2 * j] = __builtin_shufflevector(upper, lower, 0, 1, 8, 9, 4, 5, 12, 13);
            fours[i + 2 * j + 1] = __builtin_shufflevector(upper, lower, 2, 3, 10, 11, 6, 7, 14, 15);
        }
    }
    for (int64_t i = 0; i < 4; ++i) {
        rows[i] = __builtin_shufflevector(fours[i], fours[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        rows[i + 4] = __builtin_shufflevector(fours[i], fours[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
#else
    for (int64_t i = 0; i < kLanes; ++i) {
        for (int64_t j = 0; j < i; ++j) {
            const float kept = rows[i][j];
            rows[i][j] = rows[j][i];
            rows[j][i] = kept;
        }
    }
#endif
}

// The same from memory to memory; strides are the distances of rows here, and of columns there.
inline void transpose(const float* from, int64_t from_stride, float* to, int64_t to_stride) {
    Vec block[kLanes];
    for (int64_t i = 0; i < kLanes; ++i) block[i] = load(from + i * from_stride);
    transpose(block);
    for (int64_t i = 0; i < kLanes; ++i) store(to + i * to_stride, block[i]);
}

}  // namespace regluon
