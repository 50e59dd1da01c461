// Products of matrices wherever their rows and columns lie, with what is done to the sums while they are in registers.
//
// Parts of both matrices are laid out anew, so that the innermost loop walks along them and finds them in the cache.

#pragma once

#include "lanes.h"
#include "parts.h"
#include "scratch.h"

namespace regluon {

constexpr int64_t kTileRows = 6;  // 6 x 16 sums fill the registers and leave room for what they are made from
constexpr int64_t kTileColumns = 2 * kLanes;

// A matrix in memory; one of the strides is 1.
template <class Number>
struct Matrix {
    Number* data;
    int64_t row_stride, column_stride;

    Matrix at(int64_t row, int64_t column) const {
        return {data + row * row_stride + column * column_stride, row_stride, column_stride};
    }
};

inline Matrix<const float> as_it_is(const float* data, int64_t columns) {
    return {data, columns, 1};
}

inline Matrix<const float> turned(const float* data, int64_t columns) {
    return {data, 1, columns};
}

struct Sizes {
    int64_t rows, depth, columns;

    int64_t multiplications() const { return rows * depth * columns; }
};

struct Range {
    int64_t first, last;
};

// Lays up to sixteen columns side by side, row after row; columns that are missing are 0.
inline void pack_columns(Matrix<const float> from, int64_t rows, int64_t columns, float* to) {
    constexpr int64_t kAhead = 12;  // rows; they lie apart, and the processor does not guess where the next begins
    if (columns < kTileColumns) {
        std::fill_n(to, rows * kTileColumns, 0.0f);
    }
    if (from.column_stride == 1) {
        for (int64_t row = 0; row < rows; ++row) {
            const float* source = from.data + row * from.row_stride;
            __builtin_prefetch(source + kAhead * from.row_stride);
            if (columns == kTileColumns) {
                std::memcpy(to + row * kTileColumns, source, kTileColumns * sizeof(float));
            } else {
                std::memcpy(to + row * kTileColumns, source, columns * sizeof(float));
            }
        }
        return;
    }
    for (int64_t column = 0; column < columns; column += kLanes) {
        const float* source = from.data + column * from.column_stride;
        const int64_t width = std::min(kLanes, columns - column);
        int64_t row = 0;
        for (; width == kLanes && row + kLanes <= rows; row += kLanes) {
            transpose(source + row, from.column_stride, to + row * kTileColumns + column, kTileColumns);
        }
        for (; row < rows; ++row) {
            for (int64_t lane = 0; lane < width; ++lane) {
                to[row * kTileColumns + column + lane] = source[lane * from.column_stride + row];
            }
        }
    }
}

// Lays rows side by side in groups of six, column after column; what is missing in the last group stays as it was.
inline void pack_rows(Matrix<const float> from, int64_t rows, int64_t columns, float* to) {
    constexpr int64_t kTogether = 64;  // columns; so many stay in the cache while all groups take their part of them
    for (int64_t first = 0; first < columns; first += kTogether) {
        const int64_t last = std::min(first + kTogether, columns);
        for (int64_t row = 0; row < rows; row += kTileRows) {
            const int64_t height = std::min(kTileRows, rows - row);
            for (int64_t column = first; column < last; ++column) {
                const float* source = from.at(row, column).data;
                float* group = to + row * columns + column * kTileRows;
                for (int64_t place = 0; place < height; ++place) {
                    group[place] = source[place * from.row_stride];
                }
            }
        }
    }
}

constexpr int64_t kDepth = 1024;  // factors of a sum that are worked on at once

// The right matrix laid out once for many products: for each kDepth of its rows, columns side by side in sixteens.
inline int64_t packed_size(int64_t rows, int64_t columns) {
    return rows * divided_up(columns, kTileColumns) * kTileColumns;
}

inline int64_t packed_place(Range deep, int64_t columns, int64_t column) {
    return packed_size(deep.first, columns) + column * (deep.last - deep.first);
}

inline void pack_matrix(Matrix<const float> from, int64_t rows, int64_t columns, float* to) {
    for (int64_t first = 0; first < rows; first += kDepth) {
        const Range deep{first, std::min(first + kDepth, rows)};
        for (int64_t column = 0; column < columns; column += kTileColumns) {
            pack_columns(from.at(first, column), deep.last - deep.first, std::min(kTileColumns, columns - column),
                         to + packed_place(deep, columns, column));
        }
    }
}

// A part of a product for one thread: to = finish(lhs @ rhs). The right matrix may be given packed.
//
// finish(part, row, sums) is called with each Whole or Rest of every row, and returns what is to be stored there.
template <class Finish>
class Product {
public:
    Product(Matrix<const float> lhs, Matrix<const float> rhs, Matrix<float> to, Sizes sizes, const Finish& finish,
            const float* packed = nullptr)
        : lhs_(lhs), rhs_(rhs), packed_(packed), to_(to), sizes_(sizes), finish_(finish) {}

    void run(Range rows, Range columns) const {
        const int64_t depth = std::min(sizes_.depth, kDepth);
        const int64_t width = divided_up(std::min(columns.last - columns.first, kWidth), kTileColumns);
        const int64_t height = divided_up(std::min(rows.last - rows.first, kHeight), kTileRows);
        Scratch right(packed_ ? 0 : width * kTileColumns * depth), left(is_packed() ? height * kTileRows * depth : 0);
        for (int64_t column = columns.first; column < columns.last; column += kWidth) {
            const Range wide{column, std::min(column + kWidth, columns.last)};
            int64_t first = 0;
            do {  // once even if there is nothing to add up: the sums are 0 then
                const Range deep{first, std::min(first + kDepth, sizes_.depth)};
                for (int64_t row = rows.first; row < rows.last; row += kHeight) {
                    block({row, std::min(row + kHeight, rows.last)}, deep, wide, left.data(), right.data(),
                          row == rows.first);
                }
                first += kDepth;
            } while (first < sizes_.depth);
        }
    }

private:
    // Blocks of this size: of the left matrix one stays in the second-level cache, of the right one a strip of sixteen
    // columns in the first.
    static constexpr int64_t kHeight = 16 * kTileRows, kWidth = 32 * kTileColumns;

    // Where the factors of some rows lie: packed, or as they were.
    struct Packed {
        const float* data;
        static constexpr int64_t row_stride = 1, column_stride = kTileRows;
    };
    struct InRows {
        const float* data;
        int64_t row_stride;
        static constexpr int64_t column_stride = 1;
    };

    bool is_packed() const { return lhs_.column_stride != 1; }

    void block(Range rows, Range deep, Range columns, float* left, float* right, bool is_new) const {
        const int64_t depth = deep.last - deep.first;
        if (is_packed()) {
            pack_rows(lhs_.at(rows.first, deep.first), rows.last - rows.first, depth, left);
        }
        for (int64_t column = columns.first; column < columns.last; column += kTileColumns) {
            const int64_t width = std::min(kTileColumns, columns.last - column);
            const float* strip = packed_ ? packed_ + packed_place(deep, sizes_.columns, column)
                                         : right + (column - columns.first) * depth;
            if (!packed_ && is_new) {
                pack_columns(rhs_.at(deep.first, column), depth, width, right + (column - columns.first) * depth);
            }
            for (int64_t row = rows.first; row < rows.last; row += kTileRows) {
                const int64_t height = std::min(kTileRows, rows.last - row);
                if (is_packed()) {
                    tile_of(height, Packed{left + (row - rows.first) * depth}, strip, deep, row, column, width);
                } else {
                    const InRows factors{lhs_.at(row, deep.first).data, lhs_.row_stride};
                    tile_of(height, factors, strip, deep, row, column, width);
                }
            }
        }
    }

    template <class Factors>
    void tile_of(int64_t height, Factors factors, const float* strip, Range deep, int64_t row, int64_t column,
                 int64_t width) const {
        static constexpr auto kTiles =
            kernels_up_to<kTileRows>([](auto number) { return &Product::tile<decltype(number)::value, Factors>; });
        (this->*kTiles[height - 1])(factors, strip, deep, row, column, width);
    }

    // Some rows of the result, up to sixteen columns wide.
    template <int64_t kRows, class Factors>
    void tile(Factors factors, const float* strip, Range deep, int64_t row, int64_t column, int64_t width) const {
        Vec sums[kRows][2] = {};
        const int64_t depth = deep.last - deep.first;
#pragma GCC unroll 4
        for (int64_t k = 0; k < depth; ++k) {
            const float* line = strip + k * kTileColumns;
            const Vec left = Whole{0}.load(line), right = Whole{kLanes}.load(line);
            const float* factor = factors.data + k * factors.column_stride;
#pragma GCC unroll 6
            for (int64_t place = 0; place < kRows; ++place) {
                const Vec each = splat(factor[place * factors.row_stride]);
                sums[place][0] += each * left;
                sums[place][1] += each * right;
            }
        }
#pragma GCC unroll 6
        for (int64_t place = 0; place < kRows; ++place) {
            if (width == kTileColumns) {
                done(Whole{column}, row + place, sums[place][0], deep);
                done(Whole{column + kLanes}, row + place, sums[place][1], deep);
            } else if (width < kLanes) {
                done(Rest{column, width}, row + place, sums[place][0], deep);
            } else {
                done(Whole{column}, row + place, sums[place][0], deep);
                done(Rest{column + kLanes, width - kLanes}, row + place, sums[place][1], deep);
            }
        }
    }

    template <class Part>
    void done(Part part, int64_t row, Vec sum, Range deep) const {
        float* line = to_.data + row * to_.row_stride;
        if (deep.first > 0) {
            sum += part.load(line);
        }
        part.store(line, deep.last < sizes_.depth ? sum : finish_(part, row, sum));
    }

    Matrix<const float> lhs_, rhs_;
    const float* packed_;
    Matrix<float> to_;
    Sizes sizes_;
    const Finish& finish_;
};

struct AsItIs {
    template <class Part>
    Vec operator()(Part, int64_t, Vec sum) const {
        return sum;
    }
};

constexpr int64_t kWorthAThread = 1 << 18;  // multiplications; fewer are done before another thread wakes up

// A product on as many threads as it is worth; the longer side of the result is shared out.
template <class Finish = AsItIs>
void multiply(Matrix<const float> lhs, Matrix<const float> rhs, Matrix<float> to, Sizes sizes,
              const Finish& finish = {}, const float* packed = nullptr) {
    const bool by_rows = sizes.rows >= sizes.columns;
    const int64_t grain = by_rows ? kTileRows : kTileColumns, length = by_rows ? sizes.rows : sizes.columns;
    const int64_t grains = divided_up(length, grain);
    const int64_t shares = std::clamp<int64_t>(sizes.multiplications() / kWorthAThread, 1, num_threads());
    parallel_for(0, shares, 1, [&](int64_t from, int64_t until) {
        const Range part{grains * from / shares * grain, std::min(grains * until / shares * grain, length)};
        const Product product(lhs, rhs, to, sizes, finish, packed);
        by_rows ? product.run(part, {0, sizes.columns}) : product.run({0, sizes.rows}, part);
    });
}

// With a right matrix that was laid out by pack_matrix.
template <class Finish>
void multiply_packed(Matrix<const float> lhs, const float* packed, Matrix<float> to, Sizes sizes,
                     const Finish& finish) {
    multiply(lhs, {nullptr, 0, 0}, to, sizes, finish, packed);
}

}  // namespace regluon
