// Convolutions of 3 x 3 with stride 1 by Winograd's method, with a quarter of the multiplications; see kernels/winograd.py.
//
// Data and results are in channels-last order. The products at the 36 points are matrix products: (tiles, channels)
// times (channels, filters). Patches and products stay in the processor's cache between the transforms. Filters are
// kept with nine values each and brought to the points in every call: that costs a few per cent of the products, and
// spares reading, and holding, four times as much memory.

#include "winograd_stages.h"
#include "tensor.h"

#include <optional>

namespace regluon::winograd {
namespace {

constexpr int64_t kLine = 16;                // values of a cache line
constexpr int64_t kDepth = 64;               // channels that are summed up at a time where they are many
constexpr int64_t kOwnCache = 140'000;       // values of patches and products that a thread works on: its own cache
constexpr int64_t kSharedCache = 1'300'000;  // values of patches that all threads share
constexpr int64_t kFewFilters = int64_t{128} * 128;  // times channels: at the points, they stay in the shared cache

// Values from one point to the next. An odd number of cache lines: a power of two would put all points into few places.
int64_t point_stride(int64_t values) {
    const int64_t lines = divided_up(values, kLine);
    return (lines + 1 - lines % 2) * kLine;
}

// Large images of few channels: all filters are brought to the points; then each thread takes blocks of tiles whose
// patches stay in its cache from the first transform to the last.
void convolve_by_tiles(const Layer& layer, const Task& task) {
    const int64_t channels = layer.channels, panels = layer.panels(), tiles = layer.tiles();
    const int64_t threads = num_threads();
    const int64_t filter_stride = point_stride(channels * kPanel), panel_stride = kPoints * filter_stride;
    const Tensor filter_room = allocate({panels * panel_stride});
    float* const filters = filter_room.mutable_data_ptr<float>();
    parallel_for(0, panels, 1, [&](int64_t begin, int64_t end) {
        for (int64_t panel = begin; panel < end; ++panel) {
            float* const place = filters + panel * panel_stride;
            transform_filters(layer, task.filters, panel, {0, channels}, place, filter_stride, kPanel);
        }
    });
    const int64_t depth = in_lanes(channels);
    const int64_t most = std::max(kOwnCache / (kPoints * (depth + kPanel)) / kRows, int64_t{1}) * kRows;
    const int64_t each_thread = divided_up(tiles, threads), turns = divided_up(each_thread, most);
    const int64_t block = divided_up(divided_up(each_thread, turns), kRows) * kRows;
    const int64_t patch_stride = point_stride(block * depth), product_stride = point_stride(block * kPanel);
    const int64_t each_room = kPoints * (patch_stride + product_stride);
    const Tensor rooms = allocate({threads * each_room});
    parallel_for(0, divided_up(tiles, block), 1, [&](int64_t begin, int64_t end) {
        float* const patches = rooms.mutable_data_ptr<float>() + thread_index() * each_room;
        float* const products = patches + kPoints * patch_stride;
        for (int64_t first = begin * block; first < std::min(end * block, tiles); first += block) {
            const Range range{first, std::min(first + block, tiles)};
            transform_patches(layer, task.data, range, {0, channels}, patches, patch_stride, depth);
            for (int64_t panel = 0; panel < panels; ++panel) {
                const float* const panel_filters = filters + panel * panel_stride;
                for (int64_t point = 0; point < kPoints; ++point) {
                    multiply({patches + point * patch_stride, depth, panel_filters + point * filter_stride, kPanel,
                              channels, products + point * product_stride, true},
                             layer.using_point(point, range));
                }
                transform_results(layer, task, products, product_stride, range, panel);
            }
        }
    });
}

// Small images of many channels: patches are brought to the points; then each thread takes panels of filters, so that
// each filter is read and transformed once.
void convolve_by_filters(const Layer& layer, const Task& task) {
    const int64_t channels = layer.channels, tiles = layer.tiles(), threads = num_threads();
    const int64_t most = std::max(kSharedCache / (kPoints * std::max(channels, 2 * kDepth)), 4 * kRows);
    const int64_t block = divided_up(tiles, divided_up(tiles, most));
    const int64_t patch_stride = point_stride(block * kDepth), product_stride = point_stride(block * kPanel);
    const int64_t part_stride = kPoints * patch_stride, patch_room = divided_up(channels, kDepth) * part_stride;
    const int64_t filter_stride = point_stride(kPoints * kPanel);
    const int64_t each_room = kPoints * product_stride + kDepth * filter_stride;
    const Tensor rooms = allocate({patch_room + threads * each_room});
    float* const patches = rooms.mutable_data_ptr<float>();
    for (int64_t first = 0; first < tiles; first += block) {
        const Range range{first, std::min(first + block, tiles)};
        parallel_for(range.begin, range.end, 1, [&](int64_t begin, int64_t end) {
            for (int64_t channel = 0; channel < channels; channel += kDepth) {
                float* const place = patches + channel / kDepth * part_stride + (begin - first) * kDepth;
                const Range part{channel, std::min(channel + kDepth, channels)};
                transform_patches(layer, task.data, {begin, end}, part, place, patch_stride, kDepth);
            }
        });
        parallel_for(0, layer.panels(), 1, [&](int64_t begin, int64_t end) {
            float* const products = patches + patch_room + thread_index() * each_room;
            float* const filters = products + kPoints * product_stride;
            for (int64_t panel = begin; panel < end; ++panel) {
                for (int64_t channel = 0; channel < channels; channel += kDepth) {
                    const Range part{channel, std::min(channel + kDepth, channels)};
                    const float* const part_patches = patches + channel / kDepth * part_stride;
                    transform_filters(layer, task.filters, panel, part, filters, kPanel, filter_stride);
                    for (int64_t point = 0; point < kPoints; ++point) {
                        multiply({part_patches + point * patch_stride, kDepth, filters + point * kPanel, filter_stride,
                                  part.length(), products + point * product_stride, channel == 0},
                                 layer.using_point(point, range));
                    }
                }
                transform_results(layer, task, products, product_stride, range, panel);
            }
        });
    }
}

void check_data(const char* name, const Tensor& data, int64_t channels) {
    const bool is_last = data.dim() == 4 && is_channels_last(data);
    REGLUON_CHECK(is_last && data.scalar_type() == kFloat, "[winograd] ", name,
                  " must be float32 with four axes, channels last in memory; received ", data.scalar_type(),
                  " of shape ", data.sizes(), " and strides ", data.strides());
    REGLUON_CHECK(data.size(1) == channels, "[winograd] ", name, " must have ", channels, " channels; received shape ",
                  data.sizes());
}

void check_weight(const Tensor& weight) {
    const bool is_plain = weight.dim() == 4 && weight.is_contiguous() && weight.scalar_type() == kFloat;
    REGLUON_CHECK(is_plain && weight.size(2) == 3 && weight.size(3) == 3 && weight.numel() > 0,
                  "[winograd] the weight must be contiguous float32 of shape (filters, channels, 3, 3); received ",
                  weight.scalar_type(), " of shape ", weight.sizes());
}

Tensor convolve(const Tensor& data, int64_t channels, const Filters& filters, int64_t count, Ints pad,
                const MaybeTensor& bias, const MaybeTensor& addend, double low, double high) {
    check_data("data", data, channels);
    REGLUON_CHECK(pad.size() == 2 && pad[0] >= 0 && pad[1] >= 0 && data.size(2) + 2 * pad[0] >= 3 &&
                      data.size(3) + 2 * pad[1] >= 3,
                  "[winograd] filters of 3 x 3 must fit into the data; received shape ", data.sizes(), ", padding ",
                  pad);
    REGLUON_CHECK(
        !bias || (bias->scalar_type() == kFloat && bias->is_contiguous() && bias->dim() == 1 && bias->size(0) == count),
        "[winograd] the bias must be contiguous float32 of shape (", count, "); received shape ", bias->sizes());
    const Layer layer{data.size(0),
                      channels,
                      data.size(2),
                      data.size(3),
                      pad[0],
                      pad[1],
                      count,
                      Axis(data.size(2) + 2 * pad[0] - 2),
                      Axis(data.size(3) + 2 * pad[1] - 2)};
    Tensor result = allocate_channels_last(layer.batch, count, layer.down.length, layer.across.length);
    if (addend) {
        check_data("the addend", *addend, count);
        REGLUON_CHECK(addend->sizes() == result.sizes(), "[winograd] the addend must have the shape of the result, ",
                      result.sizes(), "; received shape ", addend->sizes());
    }
    if (result.numel() == 0) return result;
    const Task task{data.const_data_ptr<float>(),
                    filters,
                    bias ? bias->const_data_ptr<float>() : nullptr,
                    addend ? addend->const_data_ptr<float>() : nullptr,
                    static_cast<float>(low),
                    static_cast<float>(high),
                    result.mutable_data_ptr<float>()};
    (channels * count <= kFewFilters ? convolve_by_tiles : convolve_by_filters)(layer, task);
    return result;
}

// Filters (filters, channels, 3, 3) as (panels, channels, 9 taps, 16 filters).
Tensor winograd_pack(const Tensor& weight) {
    check_weight(weight);
    const int64_t count = weight.size(0), channels = weight.size(1), panels = divided_up(count, kPanel);
    const Filters filters{weight.const_data_ptr<float>(), false, false, channels * kTaps, kTaps};
    Tensor packed = allocate({panels, channels, kTaps, kPanel});
    parallel_for(0, panels, 1, [&](int64_t begin, int64_t end) {
        for (int64_t panel = begin; panel < end; ++panel) {
            float* const place = packed.mutable_data_ptr<float>() + panel * channels * kTaps * kPanel;
            pack_panel(filters, count, panel, {0, channels}, place);
        }
    });
    return packed;
}

// With filters made by winograd_pack; then the sum with an addend, and limits.
Tensor winograd_fused(const Tensor& data, const Tensor& packed, int64_t count, const MaybeTensor& bias,
                      const MaybeTensor& addend, Ints pad, double low, double high) {
    const bool is_plain = packed.dim() == 4 && packed.is_contiguous() && packed.scalar_type() == kFloat;
    REGLUON_CHECK(
        is_plain && packed.size(2) == kTaps && packed.size(3) == kPanel && packed.size(0) == divided_up(count, kPanel),
        "[winograd] ", count, " filters must have been laid out by winograd_pack; received shape ", packed.sizes());
    const Filters filters{packed.const_data_ptr<float>(), true, false, 0, 0};
    return convolve(data, packed.size(1), filters, count, pad, bias, addend, low, high);
}

// With filters as they are (filters, channels, 3, 3). Turned, it is the gradient of the data of such a convolution.
Tensor winograd_convolve(const Tensor& data, const Tensor& weight, const MaybeTensor& bias, Ints pad, bool is_turned) {
    check_weight(weight);
    const int64_t rows = weight.size(0), columns = weight.size(1), whole = columns * kTaps;
    const float* from = weight.const_data_ptr<float>();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (is_turned) {
        const Filters filters{from, false, true, kTaps, whole};
        return convolve(data, rows, filters, columns, pad, bias, std::nullopt, -kInfinity, kInfinity);
    }
    const Filters filters{from, false, false, whole, kTaps};
    return convolve(data, columns, filters, rows, pad, bias, std::nullopt, -kInfinity, kInfinity);
}

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(regluon, m) {
    m.def("winograd_pack(Tensor weight) -> Tensor");
    m.def("winograd_fused(Tensor data, Tensor packed, int count, Tensor? bias, Tensor? addend, int[2] pad, float low, "
          "float high) -> Tensor");
    m.def("winograd_convolve(Tensor data, Tensor weight, Tensor? bias, int[2] pad, bool is_turned) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(regluon, CPU, m) {
    m.impl("winograd_pack", TORCH_BOX(&winograd_pack));
    m.impl("winograd_fused", TORCH_BOX(&winograd_fused));
    m.impl("winograd_convolve", TORCH_BOX(&winograd_convolve));
}

}  // namespace regluon::winograd
