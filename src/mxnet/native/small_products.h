// Products of small matrices, wherever their rows and columns lie: packed and multiplied on one thread.

#pragma once

#include "lanes.h"

#include <memory>
#include <new>

namespace regluon {

constexpr int64_t kTileRows = 6;  // 6 x 16 sums fill the registers and leave room for what they are made from
constexpr int64_t kTileColumns = 2 * kLanes;
constexpr size_t kLine = 64;  // bytes of the cache

// A matrix in memory; one of the strides is 1.
template <class Number>
struct Matrix {
    Number* data;
    int64_t row_stride, column_stride;
};

// Memory for one matrix, at the beginning of a line.
class Scratch {
public:
    explicit Scratch(int64_t count) : memory_(static_cast<float*>(::operator new(count * sizeof(float), kAt))) {}
    Scratch(const Scratch&) = delete;
    ~Scratch() {
        ::operator delete(memory_, kAt);
    }
    float* data() {
        return memory_;
    }

private:
    static constexpr std::align_val_t kAt{kLine};
    float* memory_;
};

// Lays sixteen columns side by side, row after row; columns that are missing are 0.
inline void pack_columns(Matrix<const float> from, int64_t rows, int64_t columns, float* to) {
    if (columns < kTileColumns) {
        std::fill_n(to, rows * kTileColumns, 0.0f);
    }
    if (from.column_stride == 1) {
        for (int64_t row = 0; row < rows; ++row) {
            std::memcpy(to + row * kTileColumns, from.data + row * from.row_stride, columns * sizeof(float));
        }
        return;
    }
    for (int64_t column = 0; column < columns; ++column) {
        const float* source = from.data + column * from.column_stride;
        for (int64_t row = 0; row < rows; ++row) {
            to[row * kTileColumns + column] = source[row];
        }
    }
}

// Some rows of the result, sixteen columns wide.
template <int64_t kRows>
void tile(Matrix<const float> lhs, const float* packed, int64_t depth, float* to, int64_t stride, int64_t columns) {
    Vec sums[kRows][2] = {};
#pragma GCC unroll 4
    for (int64_t k = 0; k < depth; ++k) {
        const float* line = packed + k * kTileColumns;
        const Vec left = Whole{0}.load(line), right = Whole{kLanes}.load(line);
        const float* factors = lhs.data + k * lhs.column_stride;
#pragma GCC unroll 6
        for (int64_t row = 0; row < kRows; ++row) {
            const Vec factor = splat(factors[row * lhs.row_stride]);
            sums[row][0] += factor * left;
            sums[row][1] += factor * right;
        }
    }
#pragma GCC unroll 6
    for (int64_t row = 0; row < kRows; ++row) {
        float* line = to + row * stride;
        if (columns == kTileColumns) {
            Whole{0}.store(line, sums[row][0]);
            Whole{kLanes}.store(line, sums[row][1]);
        } else {
            const Vec found[] = {sums[row][0], sums[row][1]};
            std::memcpy(line, found, columns * sizeof(float));
        }
    }
}

using Tile = void (*)(Matrix<const float>, const float*, int64_t, float*, int64_t, int64_t);
inline constexpr Tile kTiles[] = {nullptr, tile<1>, tile<2>, tile<3>, tile<4>, tile<5>, tile<6>};

struct Sizes {
    int64_t rows, depth, columns;
};

inline void multiply(Matrix<const float> lhs, Matrix<const float> rhs, Matrix<float> to, Sizes sizes, float* packed) {
    for (int64_t column = 0; column < sizes.columns; column += kTileColumns) {
        const int64_t width = std::min(kTileColumns, sizes.columns - column);
        rhs.data += column ? kTileColumns * rhs.column_stride : 0;
        pack_columns(rhs, sizes.depth, width, packed);
        for (int64_t row = 0; row < sizes.rows; row += kTileRows) {
            const int64_t height = std::min(kTileRows, sizes.rows - row);
            const Matrix<const float> part{lhs.data + row * lhs.row_stride, lhs.row_stride, lhs.column_stride};
            kTiles[height](part, packed, sizes.depth, to.data + row * to.row_stride + column, to.row_stride, width);
        }
    }
}

}  // namespace regluon
