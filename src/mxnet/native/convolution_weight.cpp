// The gradients of the filters and the bias of a convolution: sums of outer products, or of rows, over all places.
//
// Sums stay in registers while a walk goes over the places, and the result is written once, in the filters' own order.

#include <torch/library.h>

#include "convolution_shared.h"

namespace regluon {
namespace {

// Steps of an array from one row of results to the next, from one place to the next, and from image to image: images
// of a group lie side by side, (place, image), so that there are long runs in small images too.
struct Steps {
    int64_t row, place, image;
};

// A walk over all results of a group of images in two arrays: three loops, the inmost one as long as can be.
struct Walk {
    int64_t outer, rows, inner;
    Steps left, right;  // of the loops: `place` is that of the outer one, `image` that of the inmost
};

Walk walk_over(int64_t rows, int64_t across, int64_t images, Steps left, Steps right) {
    if (images == 1) left.image = left.place, right.image = right.place;
    const bool is_one_run = left.place == images * left.image && right.place == images * right.image;
    if (images == 1 || is_one_run) return {1, rows, across * images, left, right};
    return {across, rows, images, left, right};
}

// Adds to `tile` the outer products of R numbers on the left with V vectors on the right, of all places of a walk.
template <int R, int V>
void add_outer_products(const float* const* left, const float* right, const Walk& walk, float* tile) {
    Vec sums[R][V] = {};
    const float* from[R];
    #pragma GCC unroll 8
    for (int r = 0; r < R; ++r) from[r] = left[r];
    const int64_t left_step = walk.left.image, right_step = walk.right.image;
    for (int64_t outer = 0; outer < walk.outer; ++outer) {
        for (int64_t row = 0; row < walk.rows; ++row) {
            int64_t at = outer * walk.left.place + row * walk.left.row;
            const float* vectors = right + outer * walk.right.place + row * walk.right.row;
            for (int64_t step = 0; step < walk.inner; ++step, at += left_step, vectors += right_step) {
                Vec column[V];
                #pragma GCC unroll 8
                for (int v = 0; v < V; ++v) column[v] = load(vectors + v * kLanes);
                #pragma GCC unroll 8
                for (int r = 0; r < R; ++r) {
                    const float factor = from[r][at];
                    #pragma GCC unroll 8
                    for (int v = 0; v < V; ++v) sums[r][v] += factor * column[v];
                }
            }
        }
    }
    #pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
        #pragma GCC unroll 8
        for (int v = 0; v < V; ++v) {
            float* to = tile + (r * V + v) * kLanes;
            store(to, load(to) + sums[r][v]);
        }
    }
}

using AddOuterProducts = void (*)(const float* const*, const float*, const Walk&, float*);

AddOuterProducts outer_of(int64_t rows, int64_t vectors) {
    static constexpr AddOuterProducts kOne[] = {
        add_outer_products<1, 1>, add_outer_products<2, 1>, add_outer_products<3, 1>, add_outer_products<4, 1>,
        add_outer_products<5, 1>, add_outer_products<6, 1>, add_outer_products<7, 1>, add_outer_products<8, 1>};
    static constexpr AddOuterProducts kTwo[] = {
        add_outer_products<1, 2>, add_outer_products<2, 2>, add_outer_products<3, 2>, add_outer_products<4, 2>,
        add_outer_products<5, 2>, add_outer_products<6, 2>};
    return (vectors == 1 ? kOne : kTwo)[rows - 1];
}

// Some channels, and how many numbers they take up: those beyond the last one are zero.
struct Strip {
    int64_t first, used, width;
};

std::vector<Strip> strips_of(const Panels& panels) {
    std::vector<Strip> strips;
    for (int64_t panel = 0; panel < panels.count; ++panel) {
        strips.push_back({panels.first(panel), panels.used(panel), panels.vectors(panel) * kLanes});
    }
    return strips;
}

std::vector<Strip> strips_of(const Parts& parts) {
    std::vector<Strip> strips;
    for (int64_t part = 0; part < parts.count; ++part) {
        strips.push_back({parts.begin(part), parts.size(part), parts.size(part)});
    }
    return strips;
}

// Copies one strip of the channels of every `step`-th place of some images, side by side: (place, image, channels of
// the strip). `sizes` are those of the copy.
void copy_strip(const float* images, const Images& from, const Images& sizes, Pair step, int64_t count,
                const Strip& strip, float* to) {
    for (int64_t image = 0; image < count; ++image) {
        float* out = to + image * strip.width;
        for (int64_t row = 0; row < sizes.height; ++row) {
            const int64_t before = image * from.elements() + row * step.h * from.width * from.channels;
            const float* place = images + before + strip.first;
            for (int64_t column = 0; column < sizes.width; ++column) {
                int64_t i = 0;
                for (; i + kLanes <= strip.used; i += kLanes) store(out + i, load(place + i));
                if (i + 4 <= strip.used) std::memcpy(out + i, place + i, 4 * sizeof(float)), i += 4;
                for (; i < strip.used; ++i) out[i] = place[i];
                for (; i < strip.width; ++i) out[i] = 0;
                place += step.w * from.channels;
                out += count * strip.width;
            }
        }
    }
}

// The places along an axis at which a tap meets data: `count` of them, and the first, in results and in data.
struct Met {
    int64_t count, result, data;
};

Met places_met(int64_t tap, int64_t size, int64_t places, int64_t stride, int64_t pad) {
    const int64_t first = std::max<int64_t>(0, divided_up(pad - tap, stride));
    const int64_t end = size + pad - tap <= 0 ? 0 : std::min(places, (size - 1 + pad - tap) / stride + 1);
    return {std::max<int64_t>(0, end - first), first, first * stride + tap - pad};
}

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
                Vec block[kLanes];
                for (int64_t i = 0; i < kLanes; ++i) block[i] = load(from + (tap + i) * tap_stride);
                transpose_8x8(block);
                for (int64_t i = 0; i < kLanes; ++i) store(to + i * taps + tap, block[i]);
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
    const Panels panels(images.channels);
    const std::vector<Strip> rights = strips_of(panels);
    const std::vector<Strip> lefts = strips_of(Parts(result.channels, rows_for(rights.front().width / kLanes)));
    constexpr int64_t kPlaces = 320;  // of a strip of data, that stay in the first cache while the taps go over them
    const int64_t group = std::clamp<int64_t>(kPlaces / images.places(), 1, images.count);
    const int64_t data_rows = images.count * images.places(), grad_rows = result.count * result.places();
    const at::Tensor split_data = at::empty({data_rows * panels.padded()}, at::kFloat);
    const at::Tensor split_grad = at::empty({grad_rows * result.channels}, at::kFloat);
    float* right_strips = split_data.mutable_data_ptr<float>();
    float* left_strips = split_grad.mutable_data_ptr<float>();
    at::parallel_for(0, divided_up(images.count, group), 1, [&](int64_t begin, int64_t end) {
        for (int64_t image = begin * group; image < std::min(end * group, images.count); image += group) {
            const int64_t count = std::min(group, images.count - image);
            for (const Strip& strip : rights) {
                copy_strip(data + image * all.elements(), all, images, step, count, strip,
                           right_strips + strip.first * data_rows + image * images.places() * strip.width);
            }
            for (const Strip& strip : lefts) {
                copy_strip(grad + image * result.elements(), result, result, {1, 1}, count, strip,
                           left_strips + strip.first * grad_rows + image * result.places() * strip.width);
            }
        }
    });

    const int64_t taps = window.taps(), panel_count = rights.size();
    std::vector<std::pair<Met, Met>> met;
    for (int64_t tap = 0; tap < taps; ++tap) {
        met.emplace_back(places_met(tap / window.kernel.w, images.height, result.height, window.stride.h, window.pad.h),
                         places_met(tap % window.kernel.w, images.width, result.width, window.stride.w, window.pad.w));
    }
    at::parallel_for(0, lefts.size() * panel_count, 1, [&](int64_t begin, int64_t end) {
        const at::Tensor scratch = at::empty({taps * kMostRows * 2 * kLanes}, at::kFloat);
        float* tile = scratch.mutable_data_ptr<float>();
        for (int64_t task = begin; task < end; ++task) {
            const Strip &left = lefts[task / panel_count], &right = rights[task % panel_count];
            const int64_t filters = left.used;
            const AddOuterProducts add = outer_of(filters, right.width / kLanes);
            std::memset(tile, 0, taps * filters * right.width * sizeof(float));
            for (int64_t image = 0; image < images.count; image += group) {
                const int64_t count = std::min(group, images.count - image);
                const float* from = left_strips + left.first * grad_rows + image * result.places() * filters;
                const float* with = right_strips + right.first * data_rows + image * images.places() * right.width;
                const Steps left_steps{result.width * count * filters, count * filters, filters};
                const Steps right_steps{window.stride.h * images.width * count * right.width,
                                        window.stride.w * count * right.width, right.width};
                for (int64_t tap = 0; tap < taps; ++tap) {
                    const auto& [h, w] = met[tap];
                    if (h.count == 0 || w.count == 0) continue;
                    const float* firsts[kMostRows];
                    for (int64_t i = 0; i < filters; ++i) {
                        firsts[i] = from + (h.result * result.width + w.result) * count * filters + i;
                    }
                    const Walk walk = walk_over(h.count, w.count, count, left_steps, right_steps);
                    add(firsts, with + (h.data * images.width + w.data) * count * right.width, walk,
                        tile + tap * filters * right.width);
                }
            }
            write_filters(tile, taps, filters, right,
                          weights + (left.first * images.channels + right.first) * taps, images.channels * taps);
        }
    });
}

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

// Of few channels: a tile is some elements of a window by some filters. Threads share the images and add up at last.
void weight_gradient_by_elements(const float* grad, const Images& result, const float* data, const Images& images,
                                 Window window, float* weights) {
    const Panels panels(result.channels);
    const std::vector<Strip> rights = strips_of(panels);
    const int64_t taps = window.taps(), depth = images.channels, elements = depth * taps;
    const int64_t width = images.width + 2 * window.pad.w, places = (images.height + 2 * window.pad.h) * width;
    constexpr int64_t kAtOnce = 48000;  // elements that stay in the second cache
    const int64_t used_at_once = images.elements() + 2 * kLanes * result.places();
    // Wide images without padding are worked on where they are, one by one. Only the last one has to be copied: beyond
    // its last place, there is nothing that could be read to fill a vector.
    const bool stays = !window.pad.h && !window.pad.w && result.width >= 2 * kLanes;
    const int64_t group = stays ? 1 : std::clamp<int64_t>(kAtOnce / used_at_once, 1, images.count);

    // `is_split`: whether the gradient is laid out in strips.
    const auto add_group = [&](int64_t count, const float* group_data, const float* group_grad, bool is_split,
                               float* total) {
        const Steps left_steps{window.stride.h * width * count * depth, window.stride.w * count * depth, depth};
        for (const Strip& right : rights) {
            const int64_t vectors = right.width / kLanes;
            const int64_t step = is_split ? right.width : result.channels;
            const Walk walk = walk_over(result.height, result.width, count, left_steps,
                                        {result.width * count * step, count * step, step});
            const float* vectors_from = group_grad + right.first * (is_split ? count * result.places() : 1);
            const Parts parts(elements, rows_for(vectors));
            for (int64_t part = 0; part < parts.count; ++part) {
                const float* lefts[kMostRows];
                for (int64_t i = 0; i < parts.size(part); ++i) {
                    const int64_t tap = (parts.begin(part) + i) / depth, channel = (parts.begin(part) + i) % depth;
                    const int64_t place = tap / window.kernel.w * width + tap % window.kernel.w;
                    lefts[i] = group_data + place * count * depth + channel;
                }
                outer_of(parts.size(part), vectors)(lefts, vectors_from, walk,
                                                    total + right.first * elements + parts.begin(part) * right.width);
            }
        }
    };
    const Parts shares(images.count, divided_up(images.count, at::get_num_threads()));
    const int64_t size = elements * panels.padded();
    const at::Tensor sums = at::empty({shares.count, size}, at::kFloat);
    at::parallel_for(0, shares.count, 1, [&](int64_t begin, int64_t end) {
        const int64_t needed = group * (places * depth + result.places() * panels.padded());
        const at::Tensor scratch = at::empty({needed}, at::kFloat);
        float* group_data = scratch.mutable_data_ptr<float>();
        float* group_grad = group_data + group * places * depth;
        for (int64_t share = begin; share < end; ++share) {
            float* total = sums.mutable_data_ptr<float>() + share * size;
            std::memset(total, 0, size * sizeof(float));
            for (int64_t image = shares.begin(share); image < shares.begin(share + 1); image += group) {
                const int64_t count = std::min(group, shares.begin(share + 1) - image);
                if (stays && image + 1 < images.count) {
                    add_group(1, data + image * images.elements(), grad + image * result.elements(), false, total);
                    continue;
                }
                copy_padded(data + image * images.elements(), images, count, window.pad, group_data);
                for (const Strip& right : rights) {
                    copy_strip(grad + image * result.elements(), result, result, {1, 1}, count, right,
                               group_grad + right.first * count * result.places());
                }
                add_group(count, group_data, group_grad, true, total);
            }
        }
    });
    for (const Strip& right : rights) {
        for (int64_t element = 0; element < elements; ++element) {
            const float* from = sums.const_data_ptr<float>() + right.first * elements + element * right.width;
            for (int64_t i = 0; i < right.used; ++i) {
                float total = 0;
                for (int64_t share = 0; share < shares.count; ++share) total += from[share * size + i];
                weights[((right.first + i) * depth + element % depth) * taps + element / depth] = total;
            }
        }
    }
}

at::Tensor convolution_weight_gradient(const at::Tensor& grad, const at::Tensor& data, at::IntArrayRef kernel,
                                       at::IntArrayRef stride, at::IntArrayRef pad) {
    expect_images("grad", grad);
    expect_images("data", data);
    TORCH_CHECK(kernel.size() == 2, "convolution: kernel=", kernel, "; expected a height and a width");
    const Window window = window_of(kernel, stride, pad);
    const Images images = images_of(data), result = images_of(grad);
    expect_result(grad, result_of(images, grad.size(1), window));
    const at::Tensor left = channels_last(grad), right = channels_last(data);
    const at::Tensor weights = at::empty({result.channels, images.channels, kernel[0], kernel[1]}, at::kFloat);
    const float* grads = left.const_data_ptr<float>();
    const bool has_many_channels = images.channels >= 4 * kLanes || (images.channels >= 2 * kLanes && pad[0] + pad[1]);
    (has_many_channels ? weight_gradient_by_taps : weight_gradient_by_elements)(
        grads, result, right.const_data_ptr<float>(), images, window, weights.mutable_data_ptr<float>());
    return weights;
}

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
    const at::Tensor source = channels_last(grad);
    const Parts shares(images.count * images.places(),
                       divided_up(images.count * images.places(), at::get_num_threads()));
    std::vector<float> sums(shares.count * images.channels, 0);
    at::parallel_for(0, shares.count, 1, [&](int64_t begin, int64_t end) {
        for (int64_t share = begin; share < end; ++share) {
            add_rows(source.const_data_ptr<float>() + shares.begin(share) * images.channels, shares.size(share),
                     images.channels, sums.data() + share * images.channels);
        }
    });
    at::Tensor result = at::empty({images.channels}, at::kFloat);
    float* to = result.mutable_data_ptr<float>();
    std::memset(to, 0, images.channels * sizeof(float));
    add_rows(sums.data(), shares.count, images.channels, to);
    return result;
}

TORCH_LIBRARY_FRAGMENT(regluon, m) {
    m.def("convolution_bias_gradient(Tensor grad) -> Tensor");
    m.impl("convolution_bias_gradient", c10::DispatchKey::CPU, TORCH_FN(convolution_bias_gradient));
    m.def("convolution_weight_gradient(Tensor grad, Tensor data, int[] kernel, int[] stride, int[] pad) -> Tensor");
    m.impl("convolution_weight_gradient", c10::DispatchKey::CPU, TORCH_FN(convolution_weight_gradient));
}

}  // namespace
}  // namespace regluon
