// Convolutions of images and the gradients of their data, for training: filters change with every call, so nothing is
// kept.
//
// Both are one piece of work: a row of numbers for each place, which is a sum over stretches of the source (`Segment`)
// times filters that are laid out in panels of a few vectors. Windows are not copied. What lies in the padding is never
// multiplied: of the products of a 3 x 3 window over a 2 x 2 image, that is more than half.

#include "convolution_plan.h"
#include "layout.h"

namespace regluon::convolution {
namespace {

using namespace convolutions;

// -- products of rows and panels ------------------------------------------------------------------------------------

// memcpy of a length that is not known would be a call, in the place where all rows end.
inline void store_some(float* to, Vec value, int64_t count) {
    float lanes[kLanes];
    store(lanes, value);
    int64_t done = 0;
    if (count >= 4) std::memcpy(to, lanes, 4 * sizeof(float)), done = 4;
    for (; done < count; ++done) to[done] = lanes[done];
}

template <int R, int V>
void multiply_block(const Row* rows, const Kind& kind, const float* source, const float* panel, const float* bias,
                    int64_t used, float* target) {
    Vec sums[R][V];
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) {
        const Vec start = bias ? load(bias + v * kLanes) : Vec{};
#pragma GCC unroll 8
        for (int r = 0; r < R; ++r) sums[r][v] = start;
    }
    const float* from[R];
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) from[r] = source + rows[r].source;
    for (const Element& element : kind.elements) {
        add_products<R, V>(from, element.source, panel + element.filter * V * kLanes, sums);
    }
    for (const Segment& segment : kind.segments) {
        const float* filter = panel + segment.filter * V * kLanes;
        for (int64_t at = segment.source; at < segment.source + segment.length; ++at, filter += V * kLanes) {
            add_products<R, V>(from, at, filter, sums);
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
        float* to = target + rows[r].target;
#pragma GCC unroll 8
        for (int v = 0; v < V; ++v) {
            const int64_t left = used - v * kLanes;
            if (left >= kLanes) {
                store(to + v * kLanes, sums[r][v]);
            } else {
                store_some(to + v * kLanes, sums[r][v], left);
            }
        }
    }
}

auto multiply_of(int64_t rows, int64_t vectors) {
    static constexpr auto kOne = kernels_up_to<rows_for(1)>([](auto count) { return &multiply_block<count, 1>; });
    static constexpr auto kTwo = kernels_up_to<rows_for(2)>([](auto count) { return &multiply_block<count, 2>; });
    return vectors == 1 ? kOne[rows - 1] : kTwo[rows - 1];
}

struct Product {
    const Plan& plan;
    const Panels& panels;
    const float *source, *bias;  // the bias is as long as the panels are wide
    float* target;
    Images from, to;

    // Rows of one kind of the images from `image` on.
    void rows(int64_t image, const Kind& kind, int64_t begin, int64_t end, int64_t panel, const float* filters) const {
        if (kind.is_empty() && !bias) {
            if (panel == 0) clear(image, kind, begin, end);
            return;
        }
        const int64_t vectors = panels.vectors(panel), column = panels.first(panel);
        const Parts parts(end - begin, rows_for(vectors));
        for (int64_t part = 0; part < parts.count; ++part) {
            multiply_of(parts.size(part), vectors)(
                kind.rows.data() + begin + parts.begin(part), kind, source + image * from.elements(), filters,
                bias ? bias + column : nullptr, panels.used(panel), target + image * to.elements() + column);
        }
    }

    void clear(int64_t image, const Kind& kind, int64_t begin, int64_t end) const {
        for (int64_t row = begin; row < end; ++row) {
            std::memset(target + image * to.elements() + kind.rows[row].target, 0, to.channels * sizeof(float));
        }
    }

    int64_t rows_of(const Kind& kind, int64_t image) const {
        return kind.rows.size() / plan.images * std::min(plan.images, to.count - image);
    }
};

// Large filters: each thread lays out a panel in its own cache and goes through all rows with it.
template <typename Pack>
void multiply_by_panels(const Product& product, int64_t depth, const Pack& pack) {
    const Panels& panels = product.panels;
    parallel_for(0, panels.count, 1, [&](int64_t begin, int64_t end) {
        Tensor scratch = allocate({depth * 2 * kLanes});
        float* filters = scratch.mutable_data_ptr<float>();
        for (int64_t panel = begin; panel < end; ++panel) {
            pack(panel, filters);
            for (int64_t image = 0; image < product.to.count; image += product.plan.images) {
                for (const Kind& kind : product.plan.kinds) {
                    const int64_t rows = product.rows_of(kind, image);
                    if (rows) product.rows(image, kind, 0, rows, panel, filters);
                }
            }
        }
    });
}

// Some rows of one kind.
struct Chunk {
    const Kind* kind;
    int64_t begin, end;
};

std::vector<Chunk> chunks_of(const Plan& plan) {
    constexpr int64_t kRows = 48;
    std::vector<Chunk> chunks;
    for (const Kind& kind : plan.kinds) {
        if (kind.rows.empty()) continue;
        const Parts parts(kind.rows.size(), kRows);
        for (int64_t part = 0; part < parts.count; ++part) {
            chunks.push_back({&kind, parts.begin(part), parts.begin(part + 1)});
        }
    }
    return chunks;
}

// Small filters: laid out once, then threads share the rows, a chunk of them going through all panels.
template <typename Pack>
void multiply_by_rows(const Product& product, int64_t depth, const Pack& pack) {
    const Panels& panels = product.panels;
    Tensor scratch = allocate({depth * panels.padded()});
    float* filters = scratch.mutable_data_ptr<float>();
    for (int64_t panel = 0; panel < panels.count; ++panel) pack(panel, filters + panels.first(panel) * depth);
    const std::vector<Chunk> chunks = chunks_of(product.plan);
    const int64_t count = chunks.size(), groups = divided_up(product.to.count, product.plan.images);
    parallel_for(0, groups * count, 1, [&](int64_t begin, int64_t end) {
        for (int64_t task = begin; task < end; ++task) {
            const Chunk& chunk = chunks[task % count];
            const int64_t image = task / count * product.plan.images;
            const int64_t last = std::min(chunk.end, product.rows_of(*chunk.kind, image));
            for (int64_t panel = 0; panel < panels.count && chunk.begin < last; ++panel) {
                product.rows(image, *chunk.kind, chunk.begin, last, panel, filters + panels.first(panel) * depth);
            }
        }
    });
}

// `pack(panel, to)` lays out the filters of a panel.
template <typename Pack>
void multiply(const Product& product, int64_t depth, const Pack& pack) {
    constexpr int64_t kSmall = 1 << 16;  // elements that stay in a core's second cache
    const bool is_small = depth * product.panels.padded() <= kSmall;
    if (is_small || product.panels.count < num_threads()) {
        multiply_by_rows(product, depth, pack);
    } else {
        multiply_by_panels(product, depth, pack);
    }
}

// -- panels ---------------------------------------------------------------------------------------------------------

// Filters in their own order, (filters, channels, taps).
struct Weights {
    const float* data;
    int64_t filters, channels, taps;

    const float* at(int64_t filter, int64_t channel) const { return data + (filter * channels + channel) * taps; }
};

// Lays filters side by side: for each tap and channel, the number of every filter. Columns beyond the last filter are
// computed, but not kept: they are those of the last one.
void pack_filters(const Weights& weights, const Panels& panels, int64_t panel, float* to) {
    const int64_t width = panels.vectors(panel) * kLanes;
    for (int64_t lane = 0; lane < width; lane += kLanes) {
        const float* lines[kLanes];
        for (int64_t i = 0; i < kLanes; ++i) {
            lines[i] = weights.at(std::min(panels.first(panel) + lane + i, weights.filters - 1), 0);
        }
        int64_t tap = 0, channel = 0;
        lines_to_vectors(lines, weights.channels * weights.taps, [&](int64_t) {
            float* place = to + (tap * weights.channels + channel) * width + lane;
            if (++tap == weights.taps) tap = 0, ++channel;
            return place;
        });
    }
}

// Lays channels side by side: for each tap, last one first, and filter, the number of every channel.
void pack_channels(const Weights& weights, const Panels& panels, int64_t panel, float* to) {
    const int64_t width = panels.vectors(panel) * kLanes, used = panels.used(panel), first = panels.first(panel);
    const int64_t taps = weights.taps;
    for (int64_t filter = 0; filter < weights.filters; ++filter) {
        // The next filter's numbers are far away; this hides the way to them.
        const float* later = weights.at(std::min(filter + 4, weights.filters - 1), first);
        for (int64_t i = 0; i < used * taps; i += 16) __builtin_prefetch(later + i);
        if (taps == 1 && used == width) {
            std::memcpy(to + filter * width, weights.at(filter, first), width * sizeof(float));
            continue;
        }
        for (int64_t lane = 0; lane < width; lane += kLanes) {
            const float* lines[kLanes];
            for (int64_t i = 0; i < kLanes; ++i) {
                lines[i] = weights.at(filter, std::min(first + lane + i, weights.channels - 1));
            }
            lines_to_vectors(lines, taps, [&](int64_t tap) {
                return to + ((taps - 1 - tap) * weights.filters + filter) * width + lane;
            });
        }
    }
}

// -- the operators -------------------------------------------------------------------------------------------------

// The bias, if there is one, as long as the panels are wide.
std::vector<float> padded_bias(const MaybeTensor& bias, const Panels& panels) {
    if (!bias) return {};
    REGLUON_CHECK(bias->numel() == panels.columns && bias->scalar_type() == kFloat, "convolution: bias of shape ",
                  bias->sizes(), "; expected ", panels.columns, " numbers of float32");
    std::vector<float> padded(panels.padded());
    std::copy_n(in_order(*bias).const_data_ptr<float>(), panels.columns, padded.data());
    return padded;
}

Tensor convolution(const Tensor& data, const Tensor& weight, const MaybeTensor& bias, Ints stride, Ints pad) {
    expect_images("data", data);
    expect_images("weight", weight);
    REGLUON_CHECK(weight.size(1) == data.size(1), "convolution: weight of shape ", weight.sizes(),
                  " for data of shape ", data.sizes(), "; expected as many channels");
    const Window window = window_of(weight.sizes().slice(2), stride, pad);
    const Images from = images_of(data), to = result_of(from, weight.size(0), window);
    const Tensor source = channels_last(data), filters = in_order(weight), result = empty_images(to);
    const Panels panels(to.channels);
    const std::vector<float> offsets = padded_bias(bias, panels);
    const Plan plan(from, to, window, Axes(forward_axis, from, to, window));
    const Weights weights{filters.const_data_ptr<float>(), to.channels, from.channels, window.taps()};
    const Product product{
        plan, panels, source.const_data_ptr<float>(), bias ? offsets.data() : nullptr, result.mutable_data_ptr<float>(),
        from, to};
    multiply(product, from.channels * window.taps(),
             [&](int64_t panel, float* place) { pack_filters(weights, panels, panel, place); });
    return result;
}

Tensor convolution_data_gradient(const Tensor& grad, const Tensor& weight, Ints size, Ints stride, Ints pad) {
    expect_images("grad", grad);
    expect_images("weight", weight);
    REGLUON_CHECK(size.size() == 2, "convolution: size=", size, "; expected the height and width of the data");
    const Window window = window_of(weight.sizes().slice(2), stride, pad);
    const Images to{grad.size(0), size[0], size[1], weight.size(1)}, from = images_of(grad);
    expect_result(grad, result_of(to, weight.size(0), window));
    const Tensor source = channels_last(grad), filters = in_order(weight), result = empty_images(to);
    const Panels panels(to.channels);
    const Plan plan(from, to, window, Axes(backward_axis, to, from, window));
    const Weights weights{filters.const_data_ptr<float>(), from.channels, to.channels, window.taps()};
    const Product product{plan, panels, source.const_data_ptr<float>(), nullptr, result.mutable_data_ptr<float>(),
                          from, to};
    multiply(product, from.channels * window.taps(),
             [&](int64_t panel, float* place) { pack_channels(weights, panels, panel, place); });
    return result;
}

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(regluon, m) {
    m.def("convolution(Tensor data, Tensor weight, Tensor? bias, int[] stride, int[] pad) -> Tensor");
    m.def("convolution_data_gradient(Tensor grad, Tensor weight, int[] size, int[] stride, int[] pad) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(regluon, CPU, m) {
    m.impl("convolution", TORCH_BOX(&convolution));
    m.impl("convolution_data_gradient", TORCH_BOX(&convolution_data_gradient));
}

}  // namespace regluon::convolution
