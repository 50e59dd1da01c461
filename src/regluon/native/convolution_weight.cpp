// The gradient of the filters of a convolution: sums of outer products over all places.
//
// It is written once, in the filters' own order.

#include "convolution_outer_products.h"
#include "layout.h"

#include <utility>

namespace regluon::convolution_weight {
namespace {

using namespace convolutions;

// -- many channels ---------------------------------------------------------------------------------------------------

// The places along an axis at which a tap meets data: `count` of them, and the first, in results and in data.
struct Met {
    int64_t count, result, data;
};

Met places_met(int64_t tap, int64_t size, int64_t places, int64_t stride, int64_t pad) {
    const int64_t first = std::max<int64_t>(0, divided_up(pad - tap, stride));
    const int64_t end = size + pad - tap <= 0 ? 0 : std::min(places, (size - 1 + pad - tap) / stride + 1);
    return {std::max<int64_t>(0, end - first), first, first * stride + tap - pad};
}

// Images in strips of channels, so many of them side by side as are worked on together: (strip, group, place, image,
// channels of the strip).
class Split {
public:
    Split(const Images& sizes, std::vector<Strip> strips, int64_t group)
        : sizes(sizes), strips(std::move(strips)), group(group), rows_(sizes.count * sizes.places()) {
        const Strip& last = this->strips.back();
        room_ = allocate({rows_ * (last.first + last.width)});
        data_ = room_.mutable_data_ptr<float>();
    }

    const Images sizes;
    const std::vector<Strip> strips;
    const int64_t group;

    // How many images there are in the group that begins with an image.
    int64_t count(int64_t image) const { return std::min(group, sizes.count - image); }

    float* at(const Strip& strip, int64_t image) const {
        return data_ + strip.first * rows_ + image * sizes.places() * strip.width;
    }

    // Copies every `step`-th place of the group that begins with an image.
    void copy(const float* images, const Images& from, Pair step, int64_t image) const {
        for (const Strip& strip : strips) {
            copy_strip(images + image * from.elements(), from, sizes, step, count(image), strip, at(strip, image));
        }
    }

private:
    int64_t rows_;
    Tensor room_;
    float* data_;
};

// The sums of some filters by some channels for all taps.
struct TapSums {
    const Split &grad, &data;
    const Window& window;
    std::vector<std::pair<Met, Met>> met;  // by each tap

    TapSums(const Split& grad, const Split& data, const Window& window) : grad(grad), data(data), window(window) {
        const Images &images = data.sizes, &result = grad.sizes;
        const auto [size, stride, pad] = window;
        for (int64_t tap = 0; tap < window.taps(); ++tap) {
            met.emplace_back(places_met(tap / size.w, images.height, result.height, stride.h, pad.h),
                             places_met(tap % size.w, images.width, result.width, stride.w, pad.w));
        }
    }

    // Adds the share of the group that begins with an image.
    void add(int64_t image, const Strip& left, const Strip& right, float* tile) const {
        const int64_t count = data.count(image), filters = left.used;
        const int64_t result_width = grad.sizes.width, width = data.sizes.width;
        const float *from = grad.at(left, image), *with = data.at(right, image);
        const Steps left_steps{result_width * count * filters, count * filters, filters};
        const Steps right_steps{window.stride.h * width * count * right.width, window.stride.w * count * right.width,
                                right.width};
        const auto kernel = outer_products_of(filters, right.vectors());
        for (const auto& [h, w] : met) {
            if (h.count && w.count) {
                const float* firsts[kMostRows];
                for (int64_t i = 0; i < filters; ++i) {
                    firsts[i] = from + (h.result * result_width + w.result) * count * filters + i;
                }
                const Walk walk = walk_over(h.count, w.count, count, left_steps, right_steps);
                kernel(firsts, with + (h.data * width + w.data) * count * right.width, walk, tile);
            }
            tile += filters * right.width;
        }
    }
};

// Writes sums of (tap, filter, channel) as (filter, channel, tap).
void write_filters(const float* tile, int64_t taps, int64_t filters, const Strip& strip, float* weights,
                   int64_t filter_stride) {
    const int64_t tap_stride = filters * strip.width;
    for (int64_t filter = 0; filter < filters; ++filter) {
        for (int64_t lane = 0; lane < strip.used; lane += kLanes) {
            const float* from = tile + filter * strip.width + lane;
            float* to = weights + filter * filter_stride + lane * taps;
            const int64_t lanes = std::min(kLanes, strip.used - lane);
            int64_t tap = 0;
            if (taps == 1 && lanes == kLanes) store(to, load(from)), tap = 1;
            for (; tap + kLanes <= taps && lanes == kLanes; tap += kLanes) {
                transpose(from + tap * tap_stride, tap_stride, to + tap, taps);
            }
            for (; tap < taps; ++tap) {
                for (int64_t i = 0; i < lanes; ++i) to[i * taps + tap] = from[tap * tap_stride + i];
            }
        }
    }
}

// Of many channels: a tile is some filters by some channels for all taps, written once when it is complete.
void weight_gradient_by_taps(const float* grad, const Images& result, const float* data, const Images& all,
                             Window window, float* weights) {
    Images images = all;
    Pair step{1, 1};
    if (window.taps() == 1 && !window.pad.h && !window.pad.w) {  // places in between are left behind at once
        images.height = result.height, images.width = result.width;
        std::swap(step, window.stride);
    }
    constexpr int64_t kPlaces = 320;  // of a strip of data, that stay in the first cache while the taps go over them
    const int64_t group = std::clamp<int64_t>(kPlaces / images.places(), 1, images.count);
    const Split rights(images, strips_of(Panels(images.channels)), group);
    const Split lefts(result, strips_of(Parts(result.channels, rows_for(rights.strips.front().vectors()))), group);
    parallel_for(0, divided_up(images.count, group), 1, [&](int64_t begin, int64_t end) {
        for (int64_t image = begin * group; image < std::min(end * group, images.count); image += group) {
            rights.copy(data, all, step, image);
            lefts.copy(grad, result, {1, 1}, image);
        }
    });
    const TapSums sums(lefts, rights, window);
    const int64_t taps = window.taps(), columns = rights.strips.size(), tiles = lefts.strips.size() * columns;
    parallel_for(0, tiles, 1, [&](int64_t begin, int64_t end) {
        const Tensor scratch = allocate({taps * kMostRows * 2 * kLanes});
        float* tile = scratch.mutable_data_ptr<float>();
        for (int64_t number = begin; number < end; ++number) {
            const Strip &left = lefts.strips[number / columns], &right = rights.strips[number % columns];
            std::memset(tile, 0, taps * left.used * right.width * sizeof(float));
            for (int64_t image = 0; image < images.count; image += group) sums.add(image, left, right, tile);
            write_filters(tile, taps, left.used, right, weights + (left.first * images.channels + right.first) * taps,
                          images.channels * taps);
        }
    });
}

// -- few channels ----------------------------------------------------------------------------------------------------

// Copies images side by side, (place, image, channels), with zeros around them.
void copy_padded(const float* images, const Images& sizes, int64_t count, Pair pad, float* to) {
    const int64_t depth = sizes.channels, width = sizes.width + 2 * pad.w;
    if (pad.h || pad.w) std::memset(to, 0, (sizes.height + 2 * pad.h) * width * count * depth * sizeof(float));
    for (int64_t image = 0; image < count; ++image) {
        for (int64_t row = 0; row < sizes.height; ++row) {
            float* out = to + (((row + pad.h) * width + pad.w) * count + image) * depth;
            for (int64_t column = 0; column < sizes.width; ++column, images += depth, out += count * depth) {
                for (int64_t i = 0; i < depth; ++i) out[i] = images[i];
            }
        }
    }
}

// The sums of the elements of a window by all filters: (strip of filters, element, filters of the strip), where an
// element is a tap of a channel.
struct ElementSums {
    const Images &images, &result;
    const Window& window;
    Panels panels;
    std::vector<Strip> strips;
    int64_t depth, elements, width;  // the width is that of padded images

    ElementSums(const Images& images, const Images& result, const Window& window)
        : images(images),
          result(result),
          window(window),
          panels(result.channels),
          strips(strips_of(panels)),
          depth(images.channels),
          elements(depth * window.taps()),
          width(images.width + 2 * window.pad.w) {}

    int64_t size() const { return elements * panels.padded(); }
    int64_t padded_places() const { return (images.height + 2 * window.pad.h) * width; }

    // Adds the share of a group of images; `is_split` says whether their gradients are laid out in strips.
    void add(int64_t count, const float* data, const float* grad, bool is_split, float* total) const {
        const Steps left_steps{window.stride.h * width * count * depth, window.stride.w * count * depth, depth};
        for (const Strip& strip : strips) {
            const int64_t step = is_split ? strip.width : result.channels;
            const Walk walk = walk_over(result.height, result.width, count, left_steps,
                                        {result.width * count * step, count * step, step});
            const float* vectors = grad + strip.first * (is_split ? count * result.places() : 1);
            const Parts parts(elements, rows_for(strip.vectors()));
            for (int64_t part = 0; part < parts.count; ++part) {
                const float* lefts[kMostRows];
                for (int64_t i = 0; i < parts.size(part); ++i) {
                    const int64_t tap = (parts.begin(part) + i) / depth, channel = (parts.begin(part) + i) % depth;
                    const int64_t place = tap / window.kernel.w * width + tap % window.kernel.w;
                    lefts[i] = data + place * count * depth + channel;
                }
                outer_products_of(parts.size(part), strip.vectors())(
                    lefts, vectors, walk, total + strip.first * elements + parts.begin(part) * strip.width);
            }
        }
    }

    // The same of images that have to be laid out first; there is room for `group` of them.
    void add_copied(int64_t count, const float* data, const float* grad, int64_t group, float* room,
                    float* total) const {
        float* split_grad = room + group * padded_places() * depth;
        copy_padded(data, images, count, window.pad, room);
        for (const Strip& strip : strips) {
            copy_strip(grad, result, result, {1, 1}, count, strip, split_grad + strip.first * count * result.places());
        }
        add(count, room, split_grad, true, total);
    }

    // Adds up the sums of some threads and writes them as (filter, channel, tap).
    void write(const float* sums, int64_t shares, float* weights) const {
        for (const Strip& strip : strips) {
            for (int64_t element = 0; element < elements; ++element) {
                const float* from = sums + strip.first * elements + element * strip.width;
                const int64_t tap = element / depth, channel = element % depth;
                for (int64_t i = 0; i < strip.used; ++i) {
                    float total = 0;
                    for (int64_t share = 0; share < shares; ++share) total += from[share * size() + i];
                    weights[((strip.first + i) * depth + channel) * window.taps() + tap] = total;
                }
            }
        }
    }
};

// Of few channels: a tile is some elements of a window by some filters. Threads share the images and add up at last.
void weight_gradient_by_elements(const float* grad, const Images& result, const float* data, const Images& images,
                                 Window window, float* weights) {
    const ElementSums sums(images, result, window);
    constexpr int64_t kAtOnce = 48000;  // elements that stay in the second cache
    const int64_t used_at_once = images.elements() + 2 * kLanes * result.places();
    // Wide images without padding are worked on where they are, one by one. Only the last one has to be copied: beyond
    // its last place, there is nothing that could be read to fill a vector.
    const bool stays = !window.pad.h && !window.pad.w && result.width >= 2 * kLanes;
    const int64_t group = stays ? 1 : std::clamp<int64_t>(kAtOnce / used_at_once, 1, images.count);
    const Parts shares(images.count, divided_up(images.count, num_threads()));
    const Tensor totals = allocate({shares.count, sums.size()});
    parallel_for(0, shares.count, 1, [&](int64_t begin, int64_t end) {
        const int64_t needed = sums.padded_places() * sums.depth + result.places() * sums.panels.padded();
        const Tensor scratch = allocate({group * needed});
        for (int64_t share = begin; share < end; ++share) {
            float* total = totals.mutable_data_ptr<float>() + share * sums.size();
            std::memset(total, 0, sums.size() * sizeof(float));
            for (int64_t image = shares.begin(share); image < shares.begin(share + 1); image += group) {
                const float *from = data + image * images.elements(), *with = grad + image * result.elements();
                const int64_t count = std::min(group, shares.begin(share + 1) - image);
                if (stays && image + 1 < images.count) {
                    sums.add(1, from, with, false, total);
                } else {
                    sums.add_copied(count, from, with, group, scratch.mutable_data_ptr<float>(), total);
                }
            }
        }
    });
    sums.write(totals.const_data_ptr<float>(), shares.count, weights);
}

// -- the operator ----------------------------------------------------------------------------------------------------

Tensor convolution_weight_gradient(const Tensor& grad, const Tensor& data, Ints kernel, Ints stride, Ints pad) {
    expect_images("grad", grad);
    expect_images("data", data);
    REGLUON_CHECK(kernel.size() == 2, "convolution: kernel=", kernel, "; expected a height and a width");
    const Window window = window_of(kernel, stride, pad);
    const Images images = images_of(data), result = images_of(grad);
    expect_result(grad, result_of(images, grad.size(1), window));
    const Tensor left = channels_last(grad), right = channels_last(data);
    const Tensor weights = allocate({result.channels, images.channels, kernel[0], kernel[1]});
    const float* grads = left.const_data_ptr<float>();
    const bool has_many_channels = images.channels >= 4 * kLanes || (images.channels >= 2 * kLanes && pad[0] + pad[1]);
    (has_many_channels ? weight_gradient_by_taps : weight_gradient_by_elements)(
        grads, result, right.const_data_ptr<float>(), images, window, weights.mutable_data_ptr<float>());
    return weights;
}

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(regluon, m) {
    m.def("convolution_weight_gradient(Tensor grad, Tensor data, int[] kernel, int[] stride, int[] pad) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(regluon, CPU, m) {
    m.impl("convolution_weight_gradient", TORCH_BOX(&convolution_weight_gradient));
}

}  // namespace regluon::convolution_weight
