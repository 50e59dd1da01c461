// The gradient of the bias of a convolution: the sums over all places.

#include "convolution_shared.h"
#include "layout.h"
#include "shares.h"

namespace regluon::convolution_bias {
namespace {

using namespace convolutions;

// Adds up some rows. Not inlined: among the many variables of its caller, GCC 12 keeps the loop's counters in vector
// registers, which takes 2.7 times as long.
__attribute__((noinline)) void add_rows(const float* rows, int64_t count, int64_t columns, float* sums) {
    int64_t column = 0;
    for (; column + kLanes <= columns; column += kLanes) {
        Vec even{}, odd{};
        const float* from = rows + column;
        for (int64_t row = 0; row + 2 <= count; row += 2, from += 2 * columns) {
            even += load(from);
            odd += load(from + columns);
        }
        if (count % 2) even += load(from);
        store(sums + column, load(sums + column) + (even + odd));
    }
    for (; column < columns; ++column) {
        for (int64_t row = 0; row < count; ++row) sums[column] += rows[row * columns + column];
    }
}

Tensor convolution_bias_gradient(const Tensor& grad) {
    expect_images("grad", grad);
    const Images images = images_of(grad);
    const Tensor source = channels_last(grad), result = allocate({images.channels});
    const float* rows = source.const_data_ptr<float>();
    const Shares shares(images.count * images.places(), images.channels);
    ColumnSums sums(shares, images.channels);
    shares.each([&](int64_t share, int64_t first, int64_t last) {
        in_stretches(first, last, [&](int64_t above, int64_t below) {
            add_rows(rows + above * images.channels, below - above, images.channels, sums.of(share));
            sums.carry(share);
        });
    });
    sums.finish(result.mutable_data_ptr<float>());
    return result;
}

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(regluon, m) {
    m.def("convolution_bias_gradient(Tensor grad) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(regluon, CPU, m) {
    m.impl("convolution_bias_gradient", TORCH_BOX(&convolution_bias_gradient));
}

}  // namespace regluon::convolution_bias
