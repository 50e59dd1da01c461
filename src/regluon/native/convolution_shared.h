// What convolutions and their gradients have in common: sizes, checks, and how numbers are laid out for products.
//
// Images are float32 with channels last in memory, filters in their own order (filters, channels, height, width). There
// is one group and no dilation.

#pragma once

#include "lanes.h"
#include "parts.h"
#include "tensor.h"

#include <optional>

namespace regluon::convolutions {

struct Pair {
    int64_t h, w;
};

struct Images {
    int64_t count, height, width, channels;

    int64_t places() const { return height * width; }
    int64_t elements() const { return height * width * channels; }
};

struct Window {
    Pair kernel, stride, pad;

    int64_t taps() const { return kernel.h * kernel.w; }
};

// -- columns of a product in panels of two vectors, or one at the end -----------------------------------------------

// How many rows are worked on at once, so that the sums fill most of the sixteen registers of AVX2.
constexpr int rows_for(int64_t vectors) {
    return vectors == 1 ? 8 : 6;
}
constexpr int kMostRows = 8;

struct Panels {
    int64_t columns, count;

    explicit Panels(int64_t columns_) : columns(columns_), count(divided_up(columns_, 2 * kLanes)) {}
    int64_t first(int64_t panel) const { return panel * 2 * kLanes; }
    int64_t vectors(int64_t panel) const { return std::min<int64_t>(2, divided_up(columns - first(panel), kLanes)); }
    int64_t used(int64_t panel) const { return std::min(columns - first(panel), 2 * kLanes); }
    int64_t padded() const { return divided_up(columns, kLanes) * kLanes; }
};

// Adds to sums the products of a number of each row with some vectors. Loops are unrolled, so that sums are registers.
template <int R, int V>
inline void add_products(const float* const (&rows)[R], int64_t at, const float* vectors, Vec (&sums)[R][V]) {
    Vec column[V];
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) column[v] = load(vectors + v * kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
        const float factor = rows[r][at];
#pragma GCC unroll 8
        for (int v = 0; v < V; ++v) sums[r][v] += factor * column[v];
    }
}

// Turns eight lines of `length` numbers into `length` vectors; `place(i)` is where the i-th goes.
template <typename Place>
inline void lines_to_vectors(const float* const (&lines)[kLanes], int64_t length, Place place) {
    int64_t done = 0;
    for (; done + kLanes <= length; done += kLanes) {
        Vec block[kLanes];
        for (int i = 0; i < kLanes; ++i) block[i] = load(lines[i] + done);
        transpose(block);
        for (int i = 0; i < kLanes; ++i) store(place(done + i), block[i]);
    }
    for (; done < length; ++done) {
        float* to = place(done);
        for (int i = 0; i < kLanes; ++i) to[i] = lines[i][done];
    }
}

// -- what the operators receive -------------------------------------------------------------------------------------

inline Images images_of(const Tensor& data) {
    return {data.size(0), data.size(2), data.size(3), data.size(1)};
}

inline Window window_of(Ints kernel, Ints stride, Ints pad) {
    REGLUON_CHECK(stride.size() == 2 && pad.size() == 2, "convolution: stride=", stride, ", pad=", pad,
                  "; expected two numbers each");
    REGLUON_CHECK(stride[0] > 0 && stride[1] > 0 && pad[0] >= 0 && pad[1] >= 0, "convolution: stride=", stride,
                  ", pad=", pad, "; expected strides above 0 and no negative padding");
    REGLUON_CHECK(kernel[0] > 0 && kernel[1] > 0, "convolution: a window of ", kernel, "; expected positive sizes");
    return {{kernel[0], kernel[1]}, {stride[0], stride[1]}, {pad[0], pad[1]}};
}

// Images, or none at all.
inline void expect_batch(const char* name, const Tensor& tensor) {
    REGLUON_CHECK(tensor.dim() == 4 && tensor.scalar_type() == kFloat && tensor.is_cpu(), "convolution: ", name,
                  " of shape ", tensor.sizes(), " and dtype ", tensor.scalar_type(),
                  "; expected four axes of float32 on a CPU");
}

inline void expect_images(const char* name, const Tensor& tensor) {
    expect_batch(name, tensor);
    REGLUON_CHECK(tensor.numel() > 0, "convolution: ", name, " of shape ", tensor.sizes(), "; expected some elements");
}

inline Images result_of(const Images& data, int64_t filters, const Window& window) {
    const int64_t height = data.height + 2 * window.pad.h - window.kernel.h;
    const int64_t width = data.width + 2 * window.pad.w - window.kernel.w;
    REGLUON_CHECK(height >= 0 && width >= 0, "convolution: a window of ", window.kernel.h, " x ", window.kernel.w,
                  " on images of ", data.height, " x ", data.width, "; expected one that fits into them");
    return {data.count, height / window.stride.h + 1, width / window.stride.w + 1, filters};
}

inline void expect_result(const Tensor& grad, const Images& result) {
    const Images given = images_of(grad);
    REGLUON_CHECK(given.count == result.count && given.height == result.height && given.width == result.width &&
                      given.channels == result.channels,
                  "convolution: a gradient of shape ", grad.sizes(), "; expected (", result.count, ", ",
                  result.channels, ", ", result.height, ", ", result.width, ")");
}

inline Tensor empty_images(const Images& sizes) {
    return allocate_channels_last(sizes.count, sizes.channels, sizes.height, sizes.width);
}

}  // namespace regluon::convolutions
