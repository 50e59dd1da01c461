// Images with channels first in memory, and with channels last: a transposition of each image.

#pragma once

#include "lanes.h"
#include "parallel.h"
#include "tensor.h"

namespace regluon {

// Rows or columns in strips, each as wide as a line of the cache; the last one has what is left as well.
struct Strips {
    static constexpr int64_t kWidth = 2 * kLanes;

    int64_t length;
    int64_t count = std::max<int64_t>(length / kWidth, 1);

    int64_t begin(int64_t number) const { return number * kWidth; }
    int64_t end(int64_t number) const { return number + 1 == count ? length : begin(number + 1); }

    // Calls function(place) for eights of a strip; the last one may overlap the one before.
    template <class Function>
    inline __attribute__((always_inline)) void each(int64_t number, const Function& function) const {
        for (int64_t place = begin(number), last = end(number); place < last; place += kLanes) {
            function(std::min(place, last - kLanes));
        }
    }
};

inline void transpose_narrow(const float* from, float* to, int64_t rows, int64_t columns) {
    for (int64_t row = 0; row < rows; ++row) {
        for (int64_t column = 0; column < columns; ++column) {
            to[column * rows + row] = from[row * columns + column];
        }
    }
}

// One strip of columns. Of the two matrices the one with longer rows is gone through eight rows at a time: where they
// are a multiple of 4 KB long, the cache does not hold more of them at once.
inline void transpose_strip(const float* from, float* to, const Strips& rows, const Strips& columns, int64_t strip) {
    const auto turn = [&](int64_t row, int64_t column) {
        transpose(from + row * columns.length + column, columns.length, to + column * rows.length + row, rows.length);
    };
    for (int64_t number = 0; number < rows.count; ++number) {
        if (columns.length > rows.length) {
            rows.each(number, [&](int64_t row) { columns.each(strip, [&](int64_t column) { turn(row, column); }); });
        } else {
            columns.each(strip, [&](int64_t column) { rows.each(number, [&](int64_t row) { turn(row, column); }); });
        }
    }
}

// Transposes (count, rows, columns) of numbers.
inline void transpose_each(const float* from, float* to, int64_t count, int64_t rows, int64_t columns) {
    constexpr int64_t kLeastNumbers = 1 << 15;  // for a thread
    const int64_t size = rows * columns;
    if (std::min(rows, columns) < kLanes) {
        const int64_t grain = std::max<int64_t>(kLeastNumbers / std::max<int64_t>(size, 1), 1);
        parallel_for(0, count, grain, [&](int64_t begin, int64_t end) {
            for (int64_t number = begin; number < end; ++number) {
                transpose_narrow(from + number * size, to + number * size, rows, columns);
            }
        });
        return;
    }
    const Strips down{rows}, across{columns};
    const int64_t grain = std::max<int64_t>(kLeastNumbers * across.count / size, 1);
    parallel_for(0, count * across.count, grain, [&](int64_t begin, int64_t end) {
        for (int64_t number = begin; number < end; ++number) {
            const int64_t place = number / across.count * size;
            transpose_strip(from + place, to + place, down, across, number % across.count);
        }
    });
}

inline Tensor channels_last(const Tensor& images) {
    using torch::headeronly::MemoryFormat;
    if (is_channels_last(images)) {
        return images;
    }
    if (images.scalar_type() != kFloat || images.dim() != 4 || !images.is_contiguous()) {
        return torch::stable::contiguous(images, MemoryFormat::ChannelsLast);
    }
    const int64_t count = images.size(0), channels = images.size(1), height = images.size(2), width = images.size(3);
    Tensor result = allocate_channels_last(count, channels, height, width);
    transpose_each(images.const_data_ptr<float>(), result.mutable_data_ptr<float>(), count, channels, height * width);
    return result;
}

inline Tensor channels_first(const Tensor& images) {
    if (images.is_contiguous()) {
        return images;
    }
    if (images.scalar_type() != kFloat || !is_channels_last(images)) {
        return torch::stable::contiguous(images);
    }
    Tensor result = allocate(images.sizes());
    transpose_each(images.const_data_ptr<float>(), result.mutable_data_ptr<float>(), images.size(0),
                   images.size(2) * images.size(3), images.size(1));
    return result;
}

}  // namespace regluon
