// How rows are shared out to threads, and sums over rows collected.

#pragma once

#include "parts.h"

#include "parallel.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace regluon {

// How a number of rows is shared out: contiguous stretches, one to a thread, none of them small.
struct Shares {
    int64_t rows;
    int64_t count;

    Shares(int64_t rows, int64_t length)
        : rows(rows), count(std::clamp<int64_t>(std::min(rows * length / kLeast, rows), 1, num_threads())) {}

    // Calls function(share, first row, row after the last) for each share.
    template <class Function>
    void each(const Function& function) const {
        parallel_for(0, count, 1, [&](int64_t from, int64_t to) {
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

// Calls function(first row, row after the last) for stretches of rows whose sums in single precision are still exact to
// nearly the last digit.
template <class Function>
void in_stretches(int64_t first, int64_t last, const Function& function) {
    constexpr int64_t kStretch = 128;
    for (int64_t row = first; row < last; row += kStretch) {
        function(row, std::min(row + kStretch, last));
    }
}

// Sums over rows, column by column, that threads collect apart from each other: a stretch of rows in single precision,
// stretches in double precision.
class ColumnSums {
public:
    ColumnSums(const Shares& shares, int64_t columns)
        : columns_(columns),
          stride_(divided_up(columns, kApart) * kApart),
          sums_(shares.count * stride_),
          totals_(shares.count * stride_) {}

    // The sums over a stretch of one share, to add to.
    float* of(int64_t share) { return sums_.data() + share * stride_; }

    // Ends a stretch of a share: the next one begins with 0.
    void carry(int64_t share) {
        float* sums = of(share);
        double* totals = totals_.data() + share * stride_;
        for (int64_t column = 0; column < columns_; ++column) {
            totals[column] += sums[column];
            sums[column] = 0;
        }
    }

    // What the shares have carried for a column.
    double sum(int64_t column) const {
        double total = 0;
        for (size_t place = column; place < totals_.size(); place += stride_) {
            total += totals_[place];
        }
        return total;
    }

    void finish(float* result) const {
        for (int64_t column = 0; column < columns_; ++column) {
            result[column] = static_cast<float>(sum(column));
        }
    }

private:
    static constexpr int64_t kApart = 32;  // two lines of the cache, so that threads do not wait for each other
    int64_t columns_, stride_;
    std::vector<float> sums_;
    std::vector<double> totals_;
};

}  // namespace regluon
