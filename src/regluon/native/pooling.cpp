// The largest element of every window of images, and the gradient of that, for training.
//
// Images are float32 with channels last in memory, so that a vector holds some channels of one place. Which element of
// its window was the largest is kept as one byte.

#include "lanes.h"
#include "layout.h"
#include "tensor.h"

#include <tuple>
#include <vector>

namespace regluon::pooling {
namespace {

typedef uint8_t ByteVec __attribute__((vector_size(kLanes)));

inline IntVec load_bytes(const uint8_t* from) {
    ByteVec bytes;
    std::memcpy(&bytes, from, sizeof(bytes));
    return __builtin_convertvector(bytes, IntVec);
}

inline void store_bytes(uint8_t* to, IntVec values) {
    const ByteVec bytes = __builtin_convertvector(values, ByteVec);
    std::memcpy(to, &bytes, sizeof(bytes));
}

struct Axis {
    int64_t size, places, kernel, stride, pad;

    // Whether each element lies in one window.
    bool is_tiled() const { return kernel == stride && pad == 0 && places * stride == size; }
};

struct Pools {
    int64_t images, channels;
    Axis down, across;
};

// Elements of a window that are in the data.
struct Span {
    int64_t begin, end;
};

Span span_of(const Axis& axis, int64_t place) {
    const int64_t first = place * axis.stride - axis.pad;
    return {std::max<int64_t>(0, -first), std::min(axis.kernel, axis.size - first)};
}

// Goes over `channels` in vectors. The last one may overlap the one before, which then does the same work twice.
template <typename Work>
inline void for_vectors(int64_t channels, Work work) {
    int64_t channel = 0;
    for (; channel + kLanes <= channels; channel += kLanes) work(channel);
    if (channel < channels) work(channels - kLanes);
}

// The largest element of a window: `data` is its first one, which may lie in the padding. The usual sizes are known to
// the compiler; else they are 0.
template <int64_t Height, int64_t Width>
void pool(const float* data, Span down, Span across, const Pools& pools, float* result, uint8_t* taps) {
    const int64_t row = pools.across.size * pools.channels;
    if (Height) down = {0, Height}, across = {0, Width};
    const auto go_over = [&](auto look) {
        for (int64_t h = down.begin; h < down.end; ++h) {
            for (int64_t w = across.begin; w < across.end; ++w) {
                look(data + h * row + w * pools.channels, static_cast<int32_t>(h * pools.across.kernel + w));
            }
        }
    };
    const int32_t first = static_cast<int32_t>(down.begin * pools.across.kernel + across.begin);
    const float* start = data + down.begin * row + across.begin * pools.channels;
    if (pools.channels < kLanes) {
        for (int64_t channel = 0; channel < pools.channels; ++channel) {
            float best = start[channel];
            int32_t found = first;
            go_over([&](const float* from, int32_t tap) {
                const float value = from[channel];
                if (value > best || value != value) best = value, found = tap;
            });
            result[channel] = best;
            taps[channel] = static_cast<uint8_t>(found);
        }
        return;
    }
    for_vectors(pools.channels, [&](int64_t channel) {
        Vec best = load(start + channel);
        IntVec found = IntVec{} + first;
        go_over([&](const float* from, int32_t tap) {
            const Vec value = load(from + channel);
            const IntVec is_larger = (value > best) | (value != value);  // what is no number counts as largest
            best = is_larger ? value : best;
            found = is_larger ? IntVec{} + tap : found;
        });
        store(result + channel, best);
        store_bytes(taps + channel, found);
    });
}

void pool_window(const float* data, Span down, Span across, const Pools& pools, float* result, uint8_t* taps) {
    const int64_t height = down.end - down.begin, width = across.end - across.begin;
    const bool is_whole = height == pools.down.kernel && width == pools.across.kernel;
    const bool is_square = is_whole && height == width && pools.channels >= kLanes;
    const auto pool_of_size = is_square && height == 2   ? pool<2, 2>
                              : is_square && height == 3 ? pool<3, 3>
                                                         : pool<0, 0>;
    pool_of_size(data, down, across, pools, result, taps);
}

// The gradient of one image whose elements lie in one window each: all are written, most of them as zero.
void fill_tiles(const float* grad, const uint8_t* taps, const Pools& pools, float* to) {
    const int64_t row = pools.across.size * pools.channels, height = pools.down.kernel, width = pools.across.kernel;
    for (int64_t h = 0; h < pools.down.places; ++h) {
        for (int64_t w = 0; w < pools.across.places; ++w, grad += pools.channels, taps += pools.channels) {
            float* out = to + h * height * row + w * width * pools.channels;
            for_vectors(pools.channels, [&](int64_t channel) {
                const Vec value = load(grad + channel);
                const IntVec which = load_bytes(taps + channel);
                for (int32_t tap = 0, down = 0; down < height; ++down) {
                    for (int64_t across = 0; across < width; ++across, ++tap) {
                        store(out + down * row + across * pools.channels + channel, which == tap ? value : Vec{});
                    }
                }
            });
        }
    }
}

// The gradient of one image whose windows overlap, or leave something out.
void add_to_largest(const float* grad, const uint8_t* taps, const Pools& pools, float* to) {
    const Axis &down = pools.down, &across = pools.across;
    std::memset(to, 0, down.size * across.size * pools.channels * sizeof(float));
    std::vector<int64_t> offsets(down.kernel * across.kernel);
    for (int64_t tap = 0; tap < down.kernel * across.kernel; ++tap) {
        offsets[tap] = (tap / across.kernel * across.size + tap % across.kernel) * pools.channels;
    }
    for (int64_t h = 0; h < down.places; ++h) {
        for (int64_t w = 0; w < across.places; ++w, grad += pools.channels, taps += pools.channels) {
            const int64_t top = h * down.stride - down.pad, left = w * across.stride - across.pad;
            float* out = to + (top * across.size + left) * pools.channels;
            for (int64_t channel = 0; channel < pools.channels; ++channel) {
                out[offsets[taps[channel]] + channel] += grad[channel];
            }
        }
    }
}

void expect_images(const char* name, const Tensor& tensor, ScalarType dtype) {
    REGLUON_CHECK(tensor.dim() == 4 && tensor.scalar_type() == dtype && tensor.is_cpu() && tensor.numel() > 0,
                  "max_pool: ", name, " of shape ", tensor.sizes(), " and dtype ", tensor.scalar_type(),
                  "; expected four axes of ", dtype, " on a CPU, none of them empty");
}

Pools pools_of(int64_t images, int64_t channels, Ints size, Ints places, Ints kernel, Ints stride, Ints pad) {
    for (const auto& given : {size, places, kernel, stride, pad}) {
        REGLUON_CHECK(given.size() == 2, "max_pool: given ", given, "; expected two numbers");
    }
    REGLUON_CHECK(kernel[0] * kernel[1] <= 256, "max_pool: a window of ", kernel, "; expected at most 256 elements");
    const auto axis = [&](int i) {
        const Axis found{size[i], places[i], kernel[i], stride[i], pad[i]};
        REGLUON_CHECK(found.kernel > 0 && found.stride > 0 && found.pad >= 0 && found.pad < found.kernel &&
                          found.places > 0 && (found.places - 1) * found.stride < found.size + found.pad,
                      "max_pool: ", places, " windows of ", kernel, " with stride=", stride, " and pad=", pad,
                      " on images of ", size, "; expected windows that meet the data");
        return found;
    };
    return {images, channels, axis(0), axis(1)};
}

std::tuple<Tensor, Tensor> max_pool(const Tensor& data, Ints places, Ints kernel, Ints stride, Ints pad) {
    expect_images("data", data, kFloat);
    const Pools pools = pools_of(data.size(0), data.size(1), data.sizes().slice(2), places, kernel, stride, pad);
    const Axis &down = pools.down, &across = pools.across;
    const Tensor source = channels_last(data);
    Tensor result = allocate_channels_last(pools.images, pools.channels, down.places, across.places, kFloat);
    Tensor taps = allocate_channels_last(pools.images, pools.channels, down.places, across.places, ScalarType::Byte);
    const float* from = source.const_data_ptr<float>();
    float* to = result.mutable_data_ptr<float>();
    uint8_t* found = taps.mutable_data_ptr<uint8_t>();
    parallel_for(0, pools.images * down.places, 4, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
            const int64_t image = row / down.places, h = row % down.places;
            const int64_t top = image * down.size + h * down.stride - down.pad;
            for (int64_t w = 0; w < across.places; ++w) {
                const int64_t first = (top * across.size + w * across.stride - across.pad) * pools.channels;
                const int64_t at = (row * across.places + w) * pools.channels;
                pool_window(from + first, span_of(down, h), span_of(across, w), pools, to + at, found + at);
            }
        }
    });
    return {result, taps};
}

Tensor max_pool_gradient(const Tensor& grad, const Tensor& taps, Ints size, Ints kernel, Ints stride, Ints pad) {
    expect_images("grad", grad, kFloat);
    expect_images("taps", taps, ScalarType::Byte);
    REGLUON_CHECK(grad.sizes() == taps.sizes(), "max_pool: a gradient of shape ", grad.sizes(), "; expected ",
                  taps.sizes());
    const Pools pools = pools_of(grad.size(0), grad.size(1), size, grad.sizes().slice(2), kernel, stride, pad);
    const Axis &down = pools.down, &across = pools.across;
    const Tensor grads_last = channels_last(grad), taps_last = channels_last(taps);
    Tensor result = allocate_channels_last(pools.images, pools.channels, down.size, across.size, kFloat);
    const float* grads = grads_last.const_data_ptr<float>();
    const uint8_t* found = taps_last.const_data_ptr<uint8_t>();
    float* to = result.mutable_data_ptr<float>();
    const bool is_tiled = down.is_tiled() && across.is_tiled() && pools.channels >= kLanes;
    const int64_t places = down.places * across.places * pools.channels;
    const int64_t elements = down.size * across.size * pools.channels;
    parallel_for(0, pools.images, 1, [&](int64_t begin, int64_t end) {
        for (int64_t image = begin; image < end; ++image) {
            (is_tiled ? fill_tiles : add_to_largest)(grads + image * places, found + image * places, pools,
                                                     to + image * elements);
        }
    });
    return result;
}

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(regluon, m) {
    m.def("max_pool(Tensor data, int[] places, int[] kernel, int[] stride, int[] pad) -> (Tensor, Tensor)");
    m.def("max_pool_gradient(Tensor grad, Tensor taps, int[] size, int[] kernel, int[] stride, int[] pad) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(regluon, CPU, m) {
    m.impl("max_pool", TORCH_BOX(&max_pool));
    m.impl("max_pool_gradient", TORCH_BOX(&max_pool_gradient));
}

}  // namespace regluon::pooling
