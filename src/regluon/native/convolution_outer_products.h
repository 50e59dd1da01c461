// Sums of outer products over all places of images, which the gradients of filters are made of.
//
// Sums stay in registers while a walk goes over the places.

#pragma once

#include "convolution_shared.h"

#include <vector>

namespace regluon::convolutions {

// Steps of an array from one row of results to the next, from one place to the next, and from image to image: images
// of a group lie side by side, (place, image), so that there are long runs in small images too.
struct Steps {
    int64_t row, place, image;
};

// A walk over all results of a group of images in two arrays: three loops, the inmost one as long as can be.
struct Walk {
    int64_t outer, rows, inner;
    Steps left, right;  // of the loops: `place` is that of the outer one, `image` that of the inmost
};

inline Walk walk_over(int64_t rows, int64_t across, int64_t images, Steps left, Steps right) {
    if (images == 1) left.image = left.place, right.image = right.place;
    const bool is_one_run = left.place == images * left.image && right.place == images * right.image;
    if (images == 1 || is_one_run) return {1, rows, across * images, left, right};
    return {across, rows, images, left, right};
}

// Adds to `tile` the outer products of R numbers on the left with V vectors on the right, of all places of a walk.
template <int R, int V>
void add_outer_products(const float* const* left, const float* right, const Walk& walk, float* tile) {
    Vec sums[R][V] = {};
    const float* from[R];
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) from[r] = left[r];
    const int64_t left_step = walk.left.image, right_step = walk.right.image;
    for (int64_t outer = 0; outer < walk.outer; ++outer) {
        for (int64_t row = 0; row < walk.rows; ++row) {
            int64_t at = outer * walk.left.place + row * walk.left.row;
            const float* vectors = right + outer * walk.right.place + row * walk.right.row;
            for (int64_t step = 0; step < walk.inner; ++step, at += left_step, vectors += right_step) {
                add_products<R, V>(from, at, vectors, sums);
            }
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 8
        for (int v = 0; v < V; ++v) {
            float* to = tile + (r * V + v) * kLanes;
            store(to, load(to) + sums[r][v]);
        }
    }
}

inline auto outer_products_of(int64_t rows, int64_t vectors) {
    static constexpr auto kOne = kernels_up_to<rows_for(1)>([](auto count) { return &add_outer_products<count, 1>; });
    static constexpr auto kTwo = kernels_up_to<rows_for(2)>([](auto count) { return &add_outer_products<count, 2>; });
    return vectors == 1 ? kOne[rows - 1] : kTwo[rows - 1];
}

// Some channels, and how many numbers they take up: those beyond the last one are zero.
struct Strip {
    int64_t first, used, width;

    int64_t vectors() const { return width / kLanes; }
};

inline std::vector<Strip> strips_of(const Panels& panels) {
    std::vector<Strip> strips;
    strips.reserve(panels.count);
    for (int64_t panel = 0; panel < panels.count; ++panel) {
        strips.push_back({panels.first(panel), panels.used(panel), panels.vectors(panel) * kLanes});
    }
    return strips;
}

inline std::vector<Strip> strips_of(const Parts& parts) {
    std::vector<Strip> strips;
    strips.reserve(parts.count);
    for (int64_t part = 0; part < parts.count; ++part) {
        strips.push_back({parts.begin(part), parts.size(part), parts.size(part)});
    }
    return strips;
}

// Copies one strip of the channels of every `step`-th place of some images, side by side: (place, image, channels of
// the strip). `sizes` are those of the copy.
inline void copy_strip(const float* images, const Images& from, const Images& sizes, Pair step, int64_t count,
                       const Strip& strip, float* to) {
    for (int64_t image = 0; image < count; ++image) {
        float* out = to + image * strip.width;
        for (int64_t row = 0; row < sizes.height; ++row) {
            const int64_t before = image * from.elements() + row * step.h * from.width * from.channels;
            const float* place = images + before + strip.first;
            for (int64_t column = 0; column < sizes.width; ++column) {
                int64_t i = 0;
                for (; i + kLanes <= strip.used; i += kLanes) store(out + i, load(place + i));
                if (i + 4 <= strip.used) std::memcpy(out + i, place + i, 4 * sizeof(float)), i += 4;
                for (; i < strip.used; ++i) out[i] = place[i];
                for (; i < strip.width; ++i) out[i] = 0;
                place += step.w * from.channels;
                out += count * strip.width;
            }
        }
    }
}

}  // namespace regluon::convolutions
