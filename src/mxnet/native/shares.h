// How rows are shared out to threads, and sums over rows collected.

#pragma once

#include "parts.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace regluon {

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

    // Calls function(row) for each row.
    template <class Function>
    void each_row(const Function& function) const {
        each([=](int64_t, int64_t first, int64_t last) {
            for (int64_t row = first; row < last; ++row) {
                function(row);
            }
        });
    }

private:
    static constexpr int64_t kLeast = 1 << 15;  // numbers; below, waking a thread costs more than it saves
};

// Sums over rows, column by column, that threads collect apart from each other.
class ColumnSums {
public:
    ColumnSums(const Shares& shares, int64_t columns)
        : columns_(columns), stride_(divided_up(columns, kApart) * kApart), sums_(shares.count * stride_) {}

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
