// Gradients of convolutions whose results go to max-pooling and nowhere else.
//
// Of a window of four results, three have no gradient, and where relu has cut off the largest, the fourth has none
// either. So there is no image of gradients: each that is not zero is multiplied with the window of the data, or with
// the filter, that it belongs to.

#include "convolution_shared.h"
#include "lanes.h"
#include "shares.h"

namespace regluon {
namespace {

using namespace convolutions;

// What is known of a convolution and the pooling behind it.
struct Layer {
    Images data, pooled;
    Window window, pool;

    int64_t padded_width() const { return data.width + 2 * window.pad.w; }
    int64_t padded_height() const { return data.height + 2 * window.pad.h; }

    // Numbers from a row of an image to the next, padding included.
    int64_t row() const { return padded_width() * data.channels; }

    // Numbers that a window takes from one row, and those with which they are whole vectors.
    int64_t length() const { return window.kernel.w * data.channels; }
    int64_t strip() const { return divided_up(length(), kLanes) * kLanes; }
    int64_t filter() const { return window.kernel.h * strip(); }

    // Images go to threads.
    Shares shares() const { return Shares(pooled.count, pooled.elements() * filter()); }

    // Where the window of a result begins, for each place of the pooled image and each tap that may have been chosen.
    std::vector<int64_t> window_begins() const {
        std::vector<int64_t> found;
        for (int64_t h = 0; h < pooled.height; ++h) {
            for (int64_t w = 0; w < pooled.width; ++w) {
                for (int64_t tap = 0; tap < pool.taps(); ++tap) {
                    const int64_t down = h * pool.stride.h - pool.pad.h + tap / pool.kernel.w;
                    const int64_t across = w * pool.stride.w - pool.pad.w + tap % pool.kernel.w;
                    found.push_back(down * window.stride.h * row() + across * window.stride.w * data.channels);
                }
            }
        }
        return found;
    }
};

// An image with its padding, and room for a vector that begins at its last number.
class PaddedImage {
public:
    explicit PaddedImage(const Layer& layer) : layer_(layer), numbers_(layer.padded_height() * layer.row() + kLanes) {}

    float* data() { return numbers_.data(); }

    void clear() { std::fill(numbers_.begin(), numbers_.end(), 0.0f); }

    void take(const float* image) {
        each_row(image, [](float* own, const float* other, int64_t bytes) { std::memcpy(own, other, bytes); });
    }

    void give(float* image) {
        each_row(image, [](float* own, float* other, int64_t bytes) { std::memcpy(other, own, bytes); });
    }

private:
    template <class Number, class Copy>
    void each_row(Number* image, const Copy& copy) {
        const int64_t width = layer_.data.width * layer_.data.channels, left = layer_.window.pad.w * layer_.data.channels;
        for (int64_t h = 0; h < layer_.data.height; ++h) {
            float* own = data() + (h + layer_.window.pad.h) * layer_.row() + left;
            copy(own, image + h * width, width * sizeof(float));
        }
    }

    const Layer& layer_;
    std::vector<float> numbers_;
};

// A row of numbers in each of some lines that lie apart, and what it is multiplied by.
struct Term {
    const float* from;
    float factor;
};

// Terms whose factors are not 0. There is no branch: which factors are, no processor can foresee.
class Terms {
public:
    explicit Terms(int64_t most) : terms_(most + 1) {}

    void clear() { count_ = 0; }

    void add(const float* from, float factor) {
        terms_[count_] = {from, factor};
        count_ += factor != 0;
    }

    const Term* begin() const { return terms_.data(); }
    int64_t count() const { return count_; }

private:
    std::vector<Term> terms_;
    int64_t count_ = 0;
};

// Adds so many terms to some lines; beyond the length of a line nothing changes.
template <int kTerms>
void add_terms(const Term* terms, int64_t from_stride, const Layer& layer, float* to, int64_t to_stride) {
    const int64_t whole = layer.length() / kLanes * kLanes, rest = layer.length() - whole;
    const IntVec lane{0, 1, 2, 3, 4, 5, 6, 7};
    for (int64_t down = 0; down < layer.window.kernel.h; ++down, to += to_stride) {
        const auto sum_at = [&](int64_t place) {
            Vec sum{};
#pragma GCC unroll 4
            for (int term = 0; term < kTerms; ++term) {
                sum += terms[term].factor * load(terms[term].from + down * from_stride + place);
            }
            return sum;
        };
        for (int64_t place = 0; place < whole; place += kLanes) {
            store(to + place, load(to + place) + sum_at(place));
        }
        if (rest) {
            const Vec before = load(to + whole);
            store(to + whole, lane < static_cast<int32_t>(rest) ? before + sum_at(whole) : before);
        }
    }
}

void add_all(const Terms& terms, int64_t from_stride, const Layer& layer, float* to, int64_t to_stride) {
    constexpr int64_t kTogether = 4;  // so many are added for one way to memory and back
    int64_t done = 0;
    for (; done + kTogether <= terms.count(); done += kTogether) {
        add_terms<kTogether>(terms.begin() + done, from_stride, layer, to, to_stride);
    }
    for (; done < terms.count(); ++done) {
        add_terms<1>(terms.begin() + done, from_stride, layer, to, to_stride);
    }
}

Layer layer_of(const Tensor& grad, const Tensor& taps, const Images& data, const Window& window,
               Ints pool_kernel, Ints pool_stride, Ints pool_pad) {
    expect_images("grad", grad);
    REGLUON_CHECK(taps.scalar_type() == ScalarType::Byte && taps.sizes() == grad.sizes(), "convolution: taps of shape ",
                  taps.sizes(), " and dtype ", taps.scalar_type(), "; expected bytes of shape ", grad.sizes());
    return {data, images_of(grad), window, window_of(pool_kernel, pool_stride, pool_pad)};
}

// For each channel 0, or not a number if something in it is not finite. Elements that no window chose are multiplied by
// a gradient of zero, which is left out; of infinity that would not be zero.
std::vector<float> strange_channels(const float* images, int64_t places, int64_t channels) {
    std::vector<float> found(channels, 0.0f);
    for (int64_t place = 0; place < places; ++place, images += channels) {
        along(channels, [&](auto part) {
            part.store(found.data(), part.load(found.data()) + part.load(images) * 0.0f);
        });
    }
    return found;
}

// Sums of the shares, in the filters' own order.
void write_filters(const std::vector<std::vector<float>>& sums, const std::vector<float>& strange, const Layer& layer,
                   float* to) {
    const int64_t channels = layer.data.channels, width = layer.window.kernel.w;
    for (int64_t filter = 0; filter < layer.pooled.channels; ++filter) {
        for (int64_t channel = 0; channel < channels; ++channel) {
            for (int64_t tap = 0; tap < layer.window.taps(); ++tap, ++to) {
                const int64_t place = filter * layer.filter() + tap / width * layer.strip() + tap % width * channels;
                *to = strange[channel];
                for (const auto& share : sums) *to += share[place + channel];
            }
        }
    }
}

Tensor pooled_weight_gradient(const Tensor& grad, const Tensor& taps, const Tensor& data,
                                  Ints kernel, Ints stride, Ints pad,
                                  Ints pool_kernel, Ints pool_stride, Ints pool_pad) {
    expect_images("data", data);
    const Layer layer = layer_of(grad, taps, images_of(data), window_of(kernel, stride, pad), pool_kernel, pool_stride,
                                 pool_pad);
    const Tensor source = channels_last(data), grads = channels_last(grad), chosen = channels_last(taps);
    const Images &pooled = layer.pooled, &images = layer.data;
    Tensor result = allocate({pooled.channels, images.channels, kernel[0], kernel[1]});
    const std::vector<int64_t> begins = layer.window_begins();
    const int64_t filters = pooled.channels;
    const Shares shares = layer.shares();
    std::vector<std::vector<float>> sums(shares.count);
    shares.each([&](int64_t share, int64_t first, int64_t last) {
        sums[share].assign(filters * layer.filter(), 0.0f);
        PaddedImage image(layer);
        Terms terms(pooled.places());
        for (int64_t number = first; number < last; ++number) {
            image.take(source.const_data_ptr<float>() + number * images.elements());
            const float* given = grads.const_data_ptr<float>() + number * pooled.elements();
            const uint8_t* which = chosen.const_data_ptr<uint8_t>() + number * pooled.elements();
            for (int64_t filter = 0; filter < filters; ++filter) {
                terms.clear();
                for (int64_t place = 0; place < pooled.places(); ++place) {
                    const int64_t at = place * filters + filter;
                    terms.add(image.data() + begins[place * layer.pool.taps() + which[at]], given[at]);
                }
                add_all(terms, layer.row(), layer, sums[share].data() + filter * layer.filter(), layer.strip());
            }
        }
    });
    const auto strange = strange_channels(source.const_data_ptr<float>(), images.count * images.places(),
                                          images.channels);
    write_filters(sums, strange, layer, result.mutable_data_ptr<float>());
    return result;
}

// Filters row by row, each as long as a strip; channels of a place side by side, as images have them.
std::vector<float> filters_in_strips(const Layer& layer, const float* weights) {
    const int64_t channels = layer.data.channels, width = layer.window.kernel.w;
    std::vector<float> found(layer.pooled.channels * layer.filter(), 0.0f);
    for (int64_t filter = 0; filter < layer.pooled.channels; ++filter) {
        for (int64_t channel = 0; channel < channels; ++channel) {
            for (int64_t tap = 0; tap < layer.window.taps(); ++tap) {
                const int64_t place = filter * layer.filter() + tap / width * layer.strip() + tap % width * channels;
                found[place + channel] = *weights++;
            }
        }
    }
    return found;
}

Tensor pooled_data_gradient(const Tensor& grad, const Tensor& taps, const Tensor& weight,
                                Ints size, Ints stride, Ints pad,
                                Ints pool_kernel, Ints pool_stride, Ints pool_pad) {
    expect_images("weight", weight);
    REGLUON_CHECK(size.size() == 2, "convolution: size=", size, "; expected the height and width of the data");
    const Images data{grad.size(0), size[0], size[1], weight.size(1)};
    const Window window = window_of(weight.sizes().slice(2), stride, pad);
    const Layer layer = layer_of(grad, taps, data, window, pool_kernel, pool_stride, pool_pad);
    const Tensor grads = channels_last(grad), chosen = channels_last(taps), plain = in_order(weight);
    const Tensor result = empty_images(data);
    const std::vector<float> strips = filters_in_strips(layer, plain.const_data_ptr<float>());
    const std::vector<int64_t> begins = layer.window_begins();
    const Images& pooled = layer.pooled;
    const int64_t filters = pooled.channels;
    layer.shares().each([&](int64_t, int64_t first, int64_t last) {
        PaddedImage image(layer);
        std::vector<Terms> terms(layer.pool.taps(), Terms(filters));  // those that were chosen at each tap
        for (int64_t number = first; number < last; ++number) {
            image.clear();
            const float* given = grads.const_data_ptr<float>() + number * pooled.elements();
            const uint8_t* which = chosen.const_data_ptr<uint8_t>() + number * pooled.elements();
            for (int64_t place = 0; place < pooled.places(); ++place) {
                for (auto& each : terms) each.clear();
                for (int64_t filter = 0; filter < filters; ++filter) {
                    const int64_t at = place * filters + filter;
                    terms[which[at]].add(strips.data() + filter * layer.filter(), given[at]);
                }
                for (int64_t tap = 0; tap < layer.pool.taps(); ++tap) {
                    float* to = image.data() + begins[place * layer.pool.taps() + tap];
                    add_all(terms[tap], layer.strip(), layer, to, layer.row());
                }
            }
            image.give(result.mutable_data_ptr<float>() + number * data.elements());
        }
    });
    return result;
}

STABLE_TORCH_LIBRARY_FRAGMENT(regluon, m) {
    m.def("pooled_weight_gradient(Tensor grad, Tensor taps, Tensor data, int[] kernel, int[] stride, int[] pad,"
          " int[] pool_kernel, int[] pool_stride, int[] pool_pad) -> Tensor");
    m.def("pooled_data_gradient(Tensor grad, Tensor taps, Tensor weight, int[] size, int[] stride, int[] pad,"
          " int[] pool_kernel, int[] pool_stride, int[] pool_pad) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(regluon, CPU, m) {
    m.impl("pooled_weight_gradient", TORCH_BOX(&pooled_weight_gradient));
    m.impl("pooled_data_gradient", TORCH_BOX(&pooled_data_gradient));
}

}  // namespace
}  // namespace regluon
