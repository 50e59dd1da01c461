// The stages of Winograd's method: patches and filters are brought to the points and multiplied there, products are
// brought back to results.

#pragma once

#include "winograd_tiles.h"

namespace regluon::winograd {

constexpr int64_t kRows = 6;  // tiles of a product: 6 x 2 vectors of sums fill the registers

// -- patches ----------------------------------------------------------------------------------------------------------

// A patch that reaches beyond the image, or whose channels are no whole vectors: a few channels at a time are laid out
// with zeros for what does not exist.
inline void transform_at_border(const Layer& layer, const float* image, int64_t top, int64_t left, const Tile& tile,
                                int64_t channels, float* to, int64_t stride) {
    constexpr int64_t kMost = 64;
    alignas(64) float patch[kPoints * kMost];
    for (int64_t first = 0; first < channels; first += kMost) {
        const int64_t count = std::min(kMost, channels - first), padded = in_lanes(count);
        for (int64_t y = 0; y < tile.down + 2; ++y) {
            for (int64_t x = 0; x < tile.across + 2; ++x) {
                float* const spot = patch + (y * kPatch + x) * kMost;
                const int64_t row = top + y, column = left + x;
                if (row >= 0 && row < layer.height && column >= 0 && column < layer.width) {
                    const float* from = image + (row * layer.width + column) * layer.channels + first;
                    std::memcpy(spot, from, count * sizeof(float));
                    std::memset(spot + count, 0, (padded - count) * sizeof(float));
                } else {
                    std::memset(spot, 0, padded * sizeof(float));
                }
            }
        }
        const PatchTransform transform = kPatchTransforms[tile.down - kLeastSide][tile.across - kLeastSide];
        transform(patch, kPatch * kMost, kMost, count, to + first, stride);
    }
}

// Some channels of some patches at the points: (36 points, tiles, channels); the place of a tile has whole vectors.
inline void transform_patches(const Layer& layer, const float* data, Range tiles, Range channels, float* to,
                              int64_t stride, int64_t tile_stride) {
    const int64_t column = layer.channels, row = layer.width * column;
    const int64_t count = channels.length(), whole = count - count % kLanes;
    for (int64_t number = tiles.begin; number < tiles.end; ++number, to += tile_stride) {
        const Tile tile = layer.tile(number);
        const float* const image = data + tile.image * layer.height * row + channels.begin;
        const int64_t top = tile.top - layer.pad_down, left = tile.left - layer.pad_across;
        const bool is_inside =
            top >= 0 && left >= 0 && top + tile.down + 2 <= layer.height && left + tile.across + 2 <= layer.width;
        if (is_inside) {
            const PatchTransform transform = kPatchTransforms[tile.down - kLeastSide][tile.across - kLeastSide];
            transform(image + top * row + left * column, row, column, whole, to, stride);
            if (whole < count) {
                transform_at_border(layer, image + whole, top, left, tile, count - whole, to + whole, stride);
            }
        } else {
            transform_at_border(layer, image, top, left, tile, count, to, stride);
        }
    }
}

// -- filters ----------------------------------------------------------------------------------------------------------

// Where filters come from. Packed are (panels, channels, 9 taps, 16 filters); else strides say where a filter begins,
// and turned are those whose taps are read backwards.
struct Filters {
    const float* data;
    bool is_packed, is_turned;
    int64_t filter_stride, channel_stride;
};

// Some channels of a panel as (channels, 9 taps, 16 filters); filters that do not exist are zero.
inline void pack_panel(const Filters& filters, int64_t count, int64_t panel, Range channels, float* to) {
    const int64_t present = std::min(kPanel, count - panel * kPanel), whole = present - present % kLanes;
    if (present < kPanel) std::memset(to, 0, channels.length() * kTaps * kPanel * sizeof(float));
    const int64_t row = filters.filter_stride, tap_step = filters.is_turned ? -kPanel : kPanel;
    for (int64_t channel = channels.begin; channel < channels.end; ++channel, to += kTaps * kPanel) {
        const float* from = filters.data + panel * kPanel * row + channel * filters.channel_stride;
        float* const first_tap = filters.is_turned ? to + (kTaps - 1) * kPanel : to;
        for (int64_t filter = 0; filter < whole; filter += kLanes, from += kLanes * row) {
            transpose(from, row, first_tap + filter, tap_step);
            float* const last_tap = first_tap + filter + kLanes * tap_step;
            for (int64_t lane = 0; lane < kLanes; ++lane) last_tap[lane] = from[lane * row + kTaps - 1];
        }
        for (int64_t filter = whole; filter < present; ++filter, from += row) {
            for (int64_t tap = 0; tap < kTaps; ++tap) first_tap[filter + tap * tap_step] = from[tap];
        }
    }
}

// Some channels of a panel at the points, in either order: strides say how far points and channels are apart.
inline void transform_filters(const Layer& layer, const Filters& filters, int64_t panel, Range channels, float* to,
                              int64_t stride, int64_t channel_stride) {
    constexpr int64_t kMost = 16;
    alignas(64) float room[kMost * kTaps * kPanel];
    for (int64_t first = channels.begin; first < channels.end; first += kMost) {
        const Range part{first, std::min(first + kMost, channels.end)};
        const float* from = filters.data + (panel * layer.channels + first) * kTaps * kPanel;
        if (!filters.is_packed) {
            pack_panel(filters, layer.filters, panel, part, room);
            from = room;
        }
        for (int64_t channel = part.begin; channel < part.end; ++channel) {
            transform_taps(from, to, stride);
            transform_taps(from + kLanes, to + kLanes, stride);
            from += kTaps * kPanel;
            to += channel_stride;
        }
    }
}

// -- products ---------------------------------------------------------------------------------------------------------

// Patches and filters at one point, and their product (tiles, 16 filters).
struct Factors {
    const float* patches;
    int64_t tile_stride;
    const float* filters;
    int64_t filter_stride, depth;
    float* products;
    bool is_first;  // of several parts of the channels: else the product is added to what is there
};

// The sums stay in registers until all channels are done.
template <int64_t rows>
void multiply_rows(const Factors& factors, int64_t first) {
    const int64_t stride = factors.tile_stride;
    const float *patches = factors.patches + first * stride, *filters = factors.filters;
    Vec sums[rows][2] = {};
    int64_t channel = 0;
    do {
        const Vec left = load(filters), right = load(filters + kLanes);
        for (int64_t row = 0; row < rows; ++row) {
            const Vec value = splat(patches[row * stride + channel]);
            sums[row][0] += value * left;
            sums[row][1] += value * right;
        }
        filters += factors.filter_stride;
    } while (++channel < factors.depth);
    for (int64_t row = 0; row < rows; ++row) {
        float* const place = factors.products + (first + row) * kPanel;
        store(place, factors.is_first ? sums[row][0] : load(place) + sums[row][0]);
        store(place + kLanes, factors.is_first ? sums[row][1] : load(place + kLanes) + sums[row][1]);
    }
}

// In groups of nearly the same size: a few rows that are left would keep the processor's units idle.
inline void multiply(const Factors& factors, Range tiles) {
    static constexpr auto kKernels = kernels_up_to<kRows>([](auto rows) { return &multiply_rows<rows>; });
    const Parts groups(tiles.length(), kRows);
    for (int64_t group = 0; group < groups.count; ++group) {
        kKernels[groups.size(group) - 1](factors, tiles.begin + groups.begin(group));
    }
}

// -- results ----------------------------------------------------------------------------------------------------------

// What is convolved, what follows, and where the result goes; bias and addend may be null.
struct Task {
    const float* data;
    Filters filters;
    const float* bias;
    const float* addend;
    float low, high;
    float* result;
};

// The same for the last filters, if they are fewer than a vector has lanes: by way of a tile of whole vectors.
inline void transform_some(ProductTransform transform, const float* products, int64_t stride, const Ending& ending,
                           int64_t filters) {
    constexpr int64_t kTile = kSide * kSide * kLanes;
    float bias[kLanes] = {}, addend[kTile] = {}, result[kTile];
    Ending whole = ending;
    whole.row = kSide * kLanes, whole.column = kLanes, whole.result = result;
    const int64_t rows = std::min(ending.rows, kSide), columns = std::min(ending.columns, kSide);
    const auto copy_tile = [&](const float* from, int64_t from_row, int64_t from_column, float* to, int64_t to_row,
                               int64_t to_column) {
        for (int64_t y = 0; y < rows; ++y) {
            for (int64_t x = 0; x < columns; ++x) {
                std::memcpy(to + y * to_row + x * to_column, from + y * from_row + x * from_column,
                            filters * sizeof(float));
            }
        }
    };
    if (ending.bias) {
        std::copy_n(ending.bias, filters, bias);
        whole.bias = bias;
    }
    if (ending.addend) {
        copy_tile(ending.addend, ending.row, ending.column, addend, whole.row, whole.column);
        whole.addend = addend;
    }
    transform(products, stride, whole);
    copy_tile(result, whole.row, whole.column, ending.result, ending.row, ending.column);
}

// Products of a panel, (36 points, tiles, 16 filters), to results.
inline void transform_results(const Layer& layer, const Task& task, const float* products, int64_t stride, Range tiles,
                              int64_t panel) {
    const int64_t first_filter = panel * kPanel, last_filter = std::min(first_filter + kPanel, layer.filters);
    const int64_t column = layer.filters, row = layer.across.length * column;
    for (int64_t number = tiles.begin; number < tiles.end; ++number, products += kPanel) {
        const Tile tile = layer.tile(number);
        const ProductTransform transform = kProductTransforms[tile.down - kLeastSide][tile.across - kLeastSide];
        const int64_t corner = (tile.image * layer.down.length + tile.top) * row + tile.left * column;
        for (int64_t filter = first_filter; filter < last_filter; filter += kLanes) {
            const int64_t place = corner + filter;
            const Ending ending{task.bias ? task.bias + filter : nullptr,
                                task.addend ? task.addend + place : nullptr,
                                task.result + place,
                                row,
                                column,
                                layer.down.length - tile.top,
                                layer.across.length - tile.left,
                                task.low,
                                task.high};
            const float* const from = products + filter - first_filter;
            if (filter + kLanes <= last_filter) {
                transform(from, stride, ending);
            } else {
                transform_some(transform, from, stride, ending, last_filter - filter);
            }
        }
    }
}

}  // namespace regluon::winograd
