// The gradient of the bias of a convolution: the sums over all places.

#include "convolution_shared.h"
#include "shares.h"

#include <torch/library.h>

namespace regluon {
namespace {

using namespace convolutions;

// Adds up some rows; sums of a few hundred are taken first, which keeps them exact.
void add_rows(const float* rows, int64_t count, int64_t columns, float* sums) {
    constexpr int64_t kAtOnce = 256;
    for (int64_t begin = 0; begin < count; begin += kAtOnce, rows += kAtOnce * columns) {
        const int64_t end = std::min(kAtOnce, count - begin);
        int64_t column = 0;
        for (; column + kLanes <= columns; column += kLanes) {
            Vec even{}, odd{};
            const float* from = rows + column;
            for (int64_t row = 0; row + 2 <= end; row += 2, from += 2 * columns) {
                even += load(from);
                odd += load(from + columns);
            }
            if (end % 2) even += load(from);
            store(sums + column, load(sums + column) + (even + odd));
        }
        for (; column < columns; ++column) {
            float sum = 0;
            for (int64_t row = 0; row < end; ++row) sum += rows[row * columns + column];
            sums[column] += sum;
        }
    }
}

at::Tensor convolution_bias_gradient(const at::Tensor& grad) {
    expect_images("grad", grad);
    const Images images = images_of(grad);
    const at::Tensor source = channels_last(grad), result = at::empty({images.channels}, at::kFloat);
    const float* rows = source.const_data_ptr<float>();
    const Shares shares(images.count * images.places(), images.channels);
    ColumnSums sums(shares, images.channels);
    shares.each([&](int64_t share, int64_t first, int64_t last) {
        add_rows(rows + first * images.channels, last - first, images.channels, sums.of(share));
    });
    sums.finish(result.mutable_data_ptr<float>());
    return result;
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(regluon, m) {
    m.def("convolution_bias_gradient(Tensor grad) -> Tensor");
    m.impl("convolution_bias_gradient", c10::DispatchKey::CPU, TORCH_FN(convolution_bias_gradient));
}

}  // namespace regluon
