// Products of the states of recurrent layers, or their gradients, with the recurrent weights.
//
// Weights are laid out once for all steps: a column block is kLanes columns, row after row. They stay in the first
// cache while rows go over them.

#pragma once

#include "lanes.h"
#include "parts.h"
#include "tensor.h"

namespace regluon::recurrent {

constexpr int64_t kMostBlocks = 4;                    // column blocks that are multiplied at the same time
constexpr int64_t kPanelFloats = 208 * (4 * kLanes);  // of weights that stay in the first cache with the rows they meet

// Into a register: compilers like to read again for each use, and then reading takes longer than multiplying.
inline Vec load_once(const float* from) {
    return *reinterpret_cast<const volatile LooseVec*>(from);
}

// sums[row][block] (+)= rows times column blocks, which lie `gap` apart, over some of their depth.
template <int kRows, int kBlocks>
void multiply_tile(const float* rows, int64_t stride, const float* blocks, int64_t gap, int64_t depth, Vec* sums,
                   bool adds) {
    Vec total[kRows][kBlocks];
    for (int row = 0; row < kRows; ++row) {
        for (int block = 0; block < kBlocks; ++block) {
            total[row][block] = adds ? sums[row * kBlocks + block] : Vec{};
        }
    }
    for (int64_t k = 0; k < depth; ++k) {
        if constexpr (kBlocks < 4) {
            Vec factor[kBlocks];
            for (int block = 0; block < kBlocks; ++block) {
                factor[block] = load_once(blocks + block * gap + k * kLanes);
            }
            for (int row = 0; row < kRows; ++row) {
                const float other = rows[row * stride + k];
                for (int block = 0; block < kBlocks; ++block) {
                    total[row][block] += other * factor[block];
                }
            }
        } else {  // there is no register left for a fourth factor
            Vec other[kRows];
            for (int row = 0; row < kRows; ++row) {
                other[row] = splat(rows[row * stride + k]);
            }
            for (int block = 0; block < kBlocks; ++block) {
                const Vec factor = load_once(blocks + block * gap + k * kLanes);
                for (int row = 0; row < kRows; ++row) {
                    total[row][block] += other[row] * factor;
                }
            }
        }
    }
    for (int row = 0; row < kRows; ++row) {
        for (int block = 0; block < kBlocks; ++block) {
            sums[row * kBlocks + block] = total[row][block];
        }
    }
}

// As many rows as leave registers for the factors: 16 of them are reckoned with.
template <int kBlocks>
constexpr int kMostRows = kBlocks == 1 ? 8 : 12 / kBlocks;

template <int kBlocks>
void multiply_blocks(const float* rows, int64_t stride, int64_t num_rows, const float* blocks, int64_t depth,
                     int64_t start, int64_t length, Vec* sums) {
    static constexpr auto kTiles =
        kernels_up_to<kMostRows<kBlocks>>([](auto height) { return &multiply_tile<height, kBlocks>; });
    const Parts tiles(num_rows, kMostRows<kBlocks>);
    for (int64_t tile = 0; tile < tiles.count; ++tile) {
        const int64_t row = tiles.begin(tile);
        kTiles[tiles.size(tile) - 1](rows + row * stride + start, stride, blocks + start * kLanes, depth * kLanes,
                                     length, sums + row * kBlocks, start > 0);
    }
}

// sums[row][block] = rows times column blocks: (num_rows, depth) x (depth, num_blocks * kLanes).
inline void multiply(const float* rows, int64_t stride, int64_t num_rows, const float* blocks, int64_t num_blocks,
                     int64_t depth, Vec* sums) {
    const int64_t most = std::max<int64_t>(1, kPanelFloats / (num_blocks * kLanes));
    const int64_t parts = std::max<int64_t>(1, divided_up(depth, most)), length = divided_up(depth, parts);
    static constexpr auto kByBlocks = kernels_up_to<kMostBlocks>([](auto count) { return &multiply_blocks<count>; });
    for (int64_t start = 0; start < depth; start += length) {
        kByBlocks[num_blocks - 1](rows, stride, num_rows, blocks, depth, start, std::min(length, depth - start), sums);
    }
}

inline int64_t blocks_of(int64_t units) {
    return divided_up(units, kLanes);
}

inline int64_t width_of(int64_t block, int64_t units) {
    return std::min(kLanes, units - block * kLanes);
}

// Recurrent weights (gates * units, units) as column blocks for the states: for each block of units one of each gate.
inline Tensor packed_forward(const Tensor& weight, int64_t gates) {
    const int64_t units = weight.size(1);
    auto packed = allocate({blocks_of(units) * gates, units, kLanes});
    const float* from = weight.const_data_ptr<float>();
    float* to = packed.mutable_data_ptr<float>();
    parallel_for(0, blocks_of(units) * gates, std::max<int64_t>(1, 8192 / units), [&](int64_t first, int64_t last) {
        for (int64_t column = first; column < last; ++column) {
            const int64_t block = column / gates, gate = column % gates, width = width_of(block, units);
            const float* source = from + (gate * units + block * kLanes) * units;
            float* target = to + column * units * kLanes;
            for (int64_t k = 0; k < units; ++k) {
                Vec lanes{};
                for (int64_t lane = 0; lane < width; ++lane) {
                    lanes[lane] = source[lane * units + k];
                }
                store(target + k * kLanes, lanes);
            }
        }
    });
    return packed;
}

// The same weights as column blocks for the gradients of the gates.
inline Tensor packed_backward(const Tensor& weight) {
    const int64_t depth = weight.size(0), units = weight.size(1);
    auto packed = allocate({blocks_of(units), depth, kLanes});
    const float* from = weight.const_data_ptr<float>();
    float* to = packed.mutable_data_ptr<float>();
    parallel_for(0, blocks_of(units), std::max<int64_t>(1, 8192 / depth), [&](int64_t first, int64_t last) {
        for (int64_t k = 0; k < depth; ++k) {
            for (int64_t block = first; block < last; ++block) {
                const Rest part{block * kLanes, width_of(block, units)};
                store(to + (block * depth + k) * kLanes, part.load(from + k * units));
            }
        }
    });
    return packed;
}

}  // namespace regluon::recurrent
