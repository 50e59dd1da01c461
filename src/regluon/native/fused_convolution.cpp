// Convolutions of prediction whose windows are one place, or one channel: their results are biased, added to something
// and limited while they are in registers. Not a number stays one.

#include "convolution_shared.h"
#include "layout.h"
#include "product.h"

namespace regluon::fused_convolution {
namespace {

using namespace convolutions;

// What is done to sums before they are stored. The bias is that of the columns; the addend lies as the result does.
struct Epilogue {
    const float *bias, *addend;
    int64_t columns;
    Vec low, high;

    template <class Part>
    Vec operator()(Part part, int64_t row, Vec value) const {
        if (bias) value += part.load(bias);
        if (addend) value += part.load(addend + row * columns);
        value = value < low ? low : value;
        return value > high ? high : value;
    }
};

Epilogue epilogue_of(const MaybeTensor& bias, const MaybeTensor& addend, const Images& result, double low,
                     double high) {
    REGLUON_CHECK(!bias || (bias->scalar_type() == kFloat && bias->is_contiguous() && bias->numel() == result.channels),
                  "convolution: bias; expected ", result.channels, " numbers of float32 in one piece");
    if (addend) {
        expect_batch("addend", *addend);
        const Images given = images_of(*addend);
        REGLUON_CHECK(given.count == result.count && given.channels == result.channels &&
                          given.places() == result.places() && is_channels_last(*addend),
                      "convolution: an addend of shape ", addend->sizes(),
                      "; expected that of the result, with channels last");
    }
    return {bias ? bias->const_data_ptr<float>() : nullptr, addend ? addend->const_data_ptr<float>() : nullptr,
            result.channels, splat(static_cast<float>(low)), splat(static_cast<float>(high))};
}

// Filters (filters, channels) as the products below read them.
Tensor pointwise_pack(const Tensor& weight) {
    REGLUON_CHECK(weight.dim() == 2 && weight.is_contiguous() && weight.scalar_type() == kFloat,
                  "convolution: weight of shape ", weight.sizes(),
                  "; expected (filters, channels) of float32 in one piece");
    const int64_t filters = weight.size(0), channels = weight.size(1);
    Tensor packed = allocate({packed_size(channels, filters)});
    pack_matrix(turned(weight.const_data_ptr<float>(), channels), channels, filters, packed.mutable_data_ptr<float>());
    return packed;
}

// Windows of one place: a product of matrices, with filters made by pointwise_pack.
Tensor pointwise_fused(const Tensor& data, const Tensor& packed, int64_t filters, const MaybeTensor& bias,
                       const MaybeTensor& addend, double low, double high) {
    expect_batch("data", data);
    const Images from = images_of(data), to{from.count, from.height, from.width, filters};
    REGLUON_CHECK(packed.is_contiguous() && packed.scalar_type() == kFloat && filters > 0 &&
                      packed.numel() == packed_size(from.channels, filters),
                  "convolution: ", filters, " filters for data of shape ", data.sizes(),
                  " must have been laid out by pointwise_pack; received ", packed.numel(), " numbers");
    const Tensor source = channels_last(data);
    Tensor result = empty_images(to);
    const Epilogue finish = epilogue_of(bias, addend, to, low, high);
    if (result.numel() == 0) return result;
    multiply_packed(as_it_is(source.const_data_ptr<float>(), from.channels), packed.const_data_ptr<float>(),
                    {result.mutable_data_ptr<float>(), to.channels, 1},
                    {to.count * to.places(), from.channels, to.channels}, finish);
    return result;
}

// -- windows of one channel -----------------------------------------------------------------------------------------

// Taps of a window along one axis that meet data.
struct Taps {
    int64_t first, last;

    Taps(int64_t place, int64_t size, int64_t kernel, int64_t stride, int64_t pad)
        : first(std::clamp<int64_t>(pad - place * stride, 0, kernel)),
          last(std::clamp<int64_t>(size + pad - place * stride, first, kernel)) {}
};

struct Depthwise {
    const float *source, *filters;  // filters are (taps, channels)
    float* target;
    Images from, to;
    Window window;
    const Epilogue& finish;

    // kPlaces neighbouring results that meet the same taps.
    template <int kPlaces>
    void places(int64_t image, int64_t h, int64_t w, Taps down, Taps across) const {
        const int64_t channels = from.channels, step = window.stride.w * channels;
        const int64_t top = h * window.stride.h - window.pad.h, left = w * window.stride.w - window.pad.w;
        const int64_t row = (image * to.height + h) * to.width + w;
        along(channels, [&](auto part) {
            Vec sums[kPlaces] = {};
            for (int64_t i = down.first; i < down.last; ++i) {
                const float* line = source + ((image * from.height + top + i) * from.width + left) * channels;
                for (int64_t j = across.first; j < across.last; ++j) {
                    const Vec filter = part.load(filters + (i * window.kernel.w + j) * channels);
#pragma GCC unroll 8
                    for (int q = 0; q < kPlaces; ++q) sums[q] += filter * part.load(line + j * channels + q * step);
                }
            }
#pragma GCC unroll 8
            for (int q = 0; q < kPlaces; ++q) {
                part.store(target + (row + q) * channels, finish(part, row + q, sums[q]));
            }
        });
    }

    void line(int64_t image, int64_t h) const {
        const Taps down(h, from.height, window.kernel.h, window.stride.h, window.pad.h);
        const auto across = [&](int64_t w) {
            return Taps(w, from.width, window.kernel.w, window.stride.w, window.pad.w);
        };
        const auto is_inside = [&](const Taps& taps) { return taps.first == 0 && taps.last == window.kernel.w; };
        for (int64_t w = 0; w < to.width;) {
            const Taps taps = across(w);
            const auto fits = [&](int count) {
                return w + count <= to.width && is_inside(taps) && is_inside(across(w + count - 1));
            };
            if (fits(8)) {
                places<8>(image, h, w, down, taps);
                w += 8;
            } else if (fits(4)) {
                places<4>(image, h, w, down, taps);
                w += 4;
            } else {
                places<1>(image, h, w, down, taps);
                w += 1;
            }
        }
    }
};

// As many groups as channels, and as filters. The weight is (height, width, channels).
Tensor depthwise_fused(const Tensor& data, const Tensor& weight, const MaybeTensor& bias, const MaybeTensor& addend,
                       Ints stride, Ints pad, double low, double high) {
    expect_batch("data", data);
    REGLUON_CHECK(weight.dim() == 3 && weight.is_contiguous() && weight.scalar_type() == kFloat &&
                      weight.size(2) == data.size(1),
                  "convolution: weight of shape ", weight.sizes(), " for data of shape ", data.sizes(),
                  "; expected (height, width, channels) of float32 in one piece");
    const Window window = window_of(weight.sizes().slice(0, 2), stride, pad);
    const Images from = images_of(data), to = result_of(from, from.channels, window);
    const Tensor source = channels_last(data);
    Tensor result = empty_images(to);
    const Epilogue finish = epilogue_of(bias, addend, to, low, high);
    if (result.numel() == 0) return result;
    const Depthwise layer{source.const_data_ptr<float>(),
                          weight.const_data_ptr<float>(),
                          result.mutable_data_ptr<float>(),
                          from,
                          to,
                          window,
                          finish};
    const int64_t multiplications = std::max<int64_t>(to.width * to.channels * window.taps(), 1);
    parallel_for(0, to.count * to.height, divided_up(kWorthAThread, multiplications), [&](int64_t begin, int64_t end) {
        for (int64_t line = begin; line < end; ++line) layer.line(line / to.height, line % to.height);
    });
    return result;
}

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(regluon, m) {
    m.def("pointwise_pack(Tensor weight) -> Tensor");
    m.def(
        "pointwise_fused(Tensor data, Tensor packed, int filters, Tensor? bias, Tensor? addend, float low, float high) "
        "-> Tensor");
    m.def(
        "depthwise_fused(Tensor data, Tensor weight, Tensor? bias, Tensor? addend, int[] stride, int[] pad, float low, "
        "float high) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(regluon, CPU, m) {
    m.impl("pointwise_pack", TORCH_BOX(&pointwise_pack));
    m.impl("pointwise_fused", TORCH_BOX(&pointwise_fused));
    m.impl("depthwise_fused", TORCH_BOX(&depthwise_fused));
}

}  // namespace regluon::fused_convolution
