// The transforms of Winograd's method for filters of 3 x 3, on vectors of channels or of filters.
//
// A patch of 6 x 6 values becomes a tile of 4 x 4 results. Patches and filters are evaluated as polynomials at the
// points 0, 1, -1, 2, -1/2 and infinity in each direction (those whose rounding error is smallest), multiplied there,
// and the products interpolated. Tiles at the end of an image may have only 3 or 2 results in a direction: these need 5
// or 4 of the points. Filters are the same for all tiles; what differs in their scale is made up for in the transform
// of the patch.

#pragma once

#include "lanes.h"

namespace regluon::winograd {

constexpr int64_t kPanel = 2 * kLanes;  // filters that are worked on together: two vectors
constexpr int64_t kSide = 4, kPatch = 6, kTaps = 9, kPoints = kPatch * kPatch;
constexpr int64_t kLeastSide = 2;

// Values of whole vectors that hold so many.
constexpr int64_t in_lanes(int64_t count) {
    return (count + kLanes - 1) / kLanes * kLanes;
}

// Whether tiles of some length use a point: the first ones, and infinity.
constexpr bool uses(int64_t side, int64_t point) {
    return point <= side || point == kPatch - 1;
}

// The point of each value that `to_points` gives.
template <int64_t side>
constexpr int64_t point_of(int64_t number) {
    return number == side + 1 ? kPatch - 1 : number;
}

// From side + 2 values of a patch to as many points.
template <int64_t side>
inline void to_points(const Vec* in, Vec* out) {
    if constexpr (side == 4) {
        const Vec even = in[4] - in[2], odd = in[3] - in[1];
        const Vec sum = even - 1.5f * in[3], difference = 1.5f * in[2] - odd;
        out[0] = (in[0] - in[2]) + even - 1.5f * odd;
        out[1] = sum - difference;
        out[2] = sum + difference;
        out[3] = even + 0.5f * odd;
        out[4] = even - 2.0f * odd;
        out[5] = (in[5] - in[3]) - odd - 1.5f * even;
    } else if constexpr (side == 3) {
        const Vec odd = in[3] - in[1];
        out[0] = (in[0] - in[2]) + 0.5f * odd;
        out[1] = 1.5f * (odd - in[1] - in[2]);
        out[2] = 1.5f * in[2] - 0.5f * (in[1] + in[1] + in[3]);
        out[3] = 2.5f * odd;
        out[4] = (in[4] - in[2]) - 2.0f * odd;
    } else {
        out[0] = in[0] - in[2];
        out[1] = -1.5f * (in[1] + in[2]);
        out[2] = 1.5f * (in[2] - in[1]);
        out[3] = in[3] - in[1];
    }
}

// From products at side + 2 points to as many results as the side.
template <int64_t side>
inline void to_results(const Vec* in, Vec* out) {
    const Vec sum = in[1] + in[2], difference = in[1] - in[2];
    if constexpr (side == 4) {
        out[0] = in[0] + sum + (in[3] + in[4]);
        out[1] = difference + 2.0f * in[3] - 0.5f * in[4];
        out[2] = sum + 4.0f * in[3] + 0.25f * in[4];
        out[3] = difference + 8.0f * in[3] - 0.125f * in[4] + in[5];
    } else if constexpr (side == 3) {
        out[0] = in[0] + sum + in[3];
        out[1] = difference + 2.0f * in[3];
        out[2] = sum + 4.0f * in[3] + in[4];
    } else {
        out[0] = in[0] + sum;
        out[1] = difference + in[3];
    }
}

// From three values of a filter to all points.
inline void taps_to_points(const Vec* in, Vec* out) {
    const Vec outer = in[0] + in[2];
    out[0] = in[0];
    out[1] = (outer + in[1]) * (-1.0f / 3);
    out[2] = (outer - in[1]) * (1.0f / 3);
    out[3] = (in[0] + 2.0f * in[1] + 4.0f * in[2]) * (1.0f / 15);
    out[4] = (in[0] - 0.5f * in[1] + 0.25f * in[2]) * (-16.0f / 15);
    out[5] = in[2];
}

// A patch, one vector of channels after the other; points are `stride` values apart.
template <int64_t down, int64_t across>
void transform_patch(const float* from, int64_t row, int64_t column, int64_t channels, float* to, int64_t stride) {
    constexpr int64_t rows = down + 2, columns = across + 2;
    for (int64_t channel = 0; channel < channels; channel += kLanes, from += kLanes, to += kLanes) {
        Vec half[rows][columns];
        for (int64_t y = 0; y < rows; ++y) {
            Vec values[columns];
            for (int64_t x = 0; x < columns; ++x) values[x] = load(from + y * row + x * column);
            to_points<across>(values, half[y]);
        }
        for (int64_t x = 0; x < columns; ++x) {
            Vec values[rows], points[rows];
            for (int64_t y = 0; y < rows; ++y) values[y] = half[y][x];
            to_points<down>(values, points);
            float* const place = to + point_of<across>(x) * stride;
            for (int64_t y = 0; y < rows; ++y) store(place + point_of<down>(y) * kPatch * stride, points[y]);
        }
    }
}

// One vector of filters for one channel, from nine values that are kPanel apart.
inline void transform_taps(const float* from, float* to, int64_t stride) {
    Vec half[3][kPatch];
    for (int64_t y = 0; y < 3; ++y) {
        const float* const row = from + 3 * y * kPanel;
        const Vec values[3] = {load(row), load(row + kPanel), load(row + 2 * kPanel)};
        taps_to_points(values, half[y]);
    }
    for (int64_t x = 0; x < kPatch; ++x) {
        const Vec values[3] = {half[0][x], half[1][x], half[2][x]};
        Vec points[kPatch];
        taps_to_points(values, points);
        for (int64_t y = 0; y < kPatch; ++y) store(to + (y * kPatch + x) * stride, points[y]);
    }
}

// Where the results of a tile go, and what is done with them on the way. Bias and addend may be null.
struct Ending {
    const float* bias;
    const float* addend;
    float* result;
    int64_t row, column;    // distances of neighbours in the result and the addend
    int64_t rows, columns;  // of the results that exist: a tile of 2 may have only one
    float low, high;
};

inline Vec limited(Vec value, float low, float high) {
    value = value < splat(low) ? splat(low) : value;  // keeps what is not a number
    return value > splat(high) ? splat(high) : value;
}

// One vector of filters of a tile, from products that are `stride` apart.
template <int64_t down, int64_t across>
void transform_products(const float* from, int64_t stride, const Ending& ending) {
    constexpr int64_t rows = down + 2, columns = across + 2;
    Vec half[down][columns];
    for (int64_t x = 0; x < columns; ++x) {
        const float* const place = from + point_of<across>(x) * stride;
        Vec values[rows], ends[down];
        for (int64_t y = 0; y < rows; ++y) values[y] = load(place + point_of<down>(y) * kPatch * stride);
        // The product at the point (1, 1) counts the same in each result.
        if (x == 1 && ending.bias) values[1] += load(ending.bias);
        to_results<down>(values, ends);
        for (int64_t y = 0; y < down; ++y) half[y][x] = ends[y];
    }
    const int64_t last_row = down > kLeastSide ? down : std::min(down, ending.rows);
    const int64_t last_column = across > kLeastSide ? across : std::min(across, ending.columns);
    for (int64_t y = 0; y < last_row; ++y) {
        Vec results[across];
        to_results<across>(half[y], results);
        for (int64_t x = 0; x < last_column; ++x) {
            const int64_t place = y * ending.row + x * ending.column;
            const Vec value = ending.addend ? results[x] + load(ending.addend + place) : results[x];
            store(ending.result + place, limited(value, ending.low, ending.high));
        }
    }
}

// The transforms for tiles of 2 to 4 results down and across.
using PatchTransform = void (*)(const float*, int64_t, int64_t, int64_t, float*, int64_t);
using ProductTransform = void (*)(const float*, int64_t, const Ending&);

constexpr PatchTransform kPatchTransforms[3][3] = {
    {transform_patch<2, 2>, transform_patch<2, 3>, transform_patch<2, 4>},
    {transform_patch<3, 2>, transform_patch<3, 3>, transform_patch<3, 4>},
    {transform_patch<4, 2>, transform_patch<4, 3>, transform_patch<4, 4>}};
constexpr ProductTransform kProductTransforms[3][3] = {
    {transform_products<2, 2>, transform_products<2, 3>, transform_products<2, 4>},
    {transform_products<3, 2>, transform_products<3, 3>, transform_products<3, 4>},
    {transform_products<4, 2>, transform_products<4, 3>, transform_products<4, 4>}};

}  // namespace regluon::winograd
