// Convolutions of images and the gradients of their data, for training: filters change with every call, so nothing is
// kept.
//
// Both are one piece of work: a row of numbers for each place, which is a sum over stretches of the source (`Segment`)
// times filters that are laid out in panels of a few vectors. Windows are not copied. What lies in the padding is never
// multiplied: of the products of a 3 x 3 window over a 2 x 2 image, that is more than half.

#include <torch/library.h>

#include "convolution_shared.h"

namespace regluon {
namespace {

// -- where the rows of a convolution come from ----------------------------------------------------------------------

// A tap of the window along one axis, and how far from the place's base it reads.
struct Tap {
    int64_t tap, shift;
    bool operator==(const Tap& other) const { return tap == other.tap && shift == other.shift; }
};

// The places along one axis: at the border they meet fewer taps.
struct Axis {
    std::vector<std::vector<Tap>> kinds;
    std::vector<int64_t> kind, base;

    void add(int64_t base_, std::vector<Tap> taps) {
        const auto found = std::find(kinds.begin(), kinds.end(), taps);
        kind.push_back(found - kinds.begin());
        base.push_back(base_);
        if (found == kinds.end()) kinds.push_back(std::move(taps));
    }
};

Axis forward_axis(int64_t size, int64_t places, int64_t kernel, int64_t stride, int64_t pad) {
    Axis axis;
    for (int64_t place = 0; place < places; ++place) {
        std::vector<Tap> taps;
        for (int64_t tap = 0; tap < kernel; ++tap) {
            const int64_t at = place * stride + tap - pad;
            if (at >= 0 && at < size) taps.push_back({tap, tap - pad});
        }
        axis.add(place * stride, std::move(taps));
    }
    return axis;
}

// Of the gradient: which results an element of the data went to. In rising order of results, so taps fall.
Axis backward_axis(int64_t size, int64_t places, int64_t kernel, int64_t stride, int64_t pad) {
    Axis axis;
    for (int64_t at = 0; at < size; ++at) {
        const int64_t base = (at + pad) / stride;
        std::vector<Tap> taps;
        for (int64_t tap = kernel - 1; tap >= 0; --tap) {
            const int64_t distance = at + pad - tap;
            if (distance < 0 || distance % stride || distance / stride >= places) continue;
            taps.push_back({kernel - 1 - tap, distance / stride - base});  // filters are laid out the same way round
        }
        axis.add(base, std::move(taps));
    }
    return axis;
}

struct Segment {
    int64_t source, filter, length;
};

struct Row {
    int64_t source, target;
};

struct Element {
    int64_t source, filter;
};

// Rows that meet the same taps, those of one image after those of another. Where segments are short, their elements
// are listed one by one: a loop for each would take longer than its work.
struct Kind {
    std::vector<Segment> segments;
    std::vector<Element> elements;
    std::vector<Row> rows;

    bool is_empty() const { return segments.empty() && elements.empty(); }

    void add(const Segment& more) {
        if (!segments.empty()) {
            Segment& last = segments.back();
            if (last.source + last.length == more.source && last.filter + last.length == more.filter) {
                last.length += more.length;
                return;
            }
        }
        segments.push_back(more);
    }

    void list_short_segments() {
        constexpr int64_t kShort = 32;
        if (segments.empty() || segments[0].length >= kShort) return;
        for (const Segment& segment : segments) {
            for (int64_t i = 0; i < segment.length; ++i) elements.push_back({segment.source + i, segment.filter + i});
        }
        segments.clear();
    }
};

// The rows of a few images: so many that corners of images fill blocks of rows too.
struct Plan {
    static constexpr int64_t kImages = 24, kMostPlanned = 6144;
    std::vector<Kind> kinds;
    int64_t images;

    Plan(const Images& source, const Images& target, int64_t kernel_width, const Axis& down, const Axis& across) {
        kinds.resize(down.kinds.size() * across.kinds.size());
        images = std::clamp<int64_t>(kMostPlanned / target.places(), 1, std::min(target.count, kImages));
        for (size_t number = 0; number < kinds.size(); ++number) {
            const auto& ups = down.kinds[number / across.kinds.size()];
            for (const Tap& up : ups) {
                for (const Tap& left : across.kinds[number % across.kinds.size()]) {
                    const int64_t from = (up.shift * source.width + left.shift) * source.channels;
                    kinds[number].add({from, (up.tap * kernel_width + left.tap) * source.channels, source.channels});
                }
            }
            kinds[number].list_short_segments();
        }
        for (int64_t image = 0; image < images; ++image) {
            for (int64_t h = 0; h < target.height; ++h) {
                for (int64_t w = 0; w < target.width; ++w) {
                    const int64_t at = (down.base[h] * source.width + across.base[w]) * source.channels;
                    const int64_t to = (h * target.width + w) * target.channels;
                    auto& rows = kinds[down.kind[h] * across.kinds.size() + across.kind[w]].rows;
                    rows.push_back({image * source.elements() + at, image * target.elements() + to});
                }
            }
        }
    }
};

// -- the convolution, and the gradient of its data ------------------------------------------------------------------

// Loops over rows and vectors are unrolled, so that the sums are registers.
template <int R, int V>
inline void add_product(const float* const (&from)[R], int64_t at, const float* filter, Vec (&sums)[R][V]) {
    Vec column[V];
    #pragma GCC unroll 8
    for (int v = 0; v < V; ++v) column[v] = load(filter + v * kLanes);
    #pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
        const float factor = from[r][at];
        #pragma GCC unroll 8
        for (int v = 0; v < V; ++v) sums[r][v] += factor * column[v];
    }
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
        add_product<R, V>(from, element.source, panel + element.filter * V * kLanes, sums);
    }
    for (const Segment& segment : kind.segments) {
        const float* filter = panel + segment.filter * V * kLanes;
        for (int64_t at = segment.source; at < segment.source + segment.length; ++at, filter += V * kLanes) {
            add_product<R, V>(from, at, filter, sums);
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

using MultiplyBlock = void (*)(const Row*, const Kind&, const float*, const float*, const float*, int64_t, float*);

MultiplyBlock multiply_of(int64_t rows, int64_t vectors) {
    static constexpr MultiplyBlock kOne[] = {
        multiply_block<1, 1>, multiply_block<2, 1>, multiply_block<3, 1>, multiply_block<4, 1>,
        multiply_block<5, 1>, multiply_block<6, 1>, multiply_block<7, 1>, multiply_block<8, 1>};
    static constexpr MultiplyBlock kTwo[] = {
        multiply_block<1, 2>, multiply_block<2, 2>, multiply_block<3, 2>, multiply_block<4, 2>,
        multiply_block<5, 2>, multiply_block<6, 2>};
    return (vectors == 1 ? kOne : kTwo)[rows - 1];
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
    at::parallel_for(0, panels.count, 1, [&](int64_t begin, int64_t end) {
        at::Tensor scratch = at::empty({depth * 2 * kLanes}, at::kFloat);
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

// Small filters: laid out once, then threads share the rows, a chunk of them going through all panels.
template <typename Pack>
void multiply_by_rows(const Product& product, int64_t depth, const Pack& pack) {
    const Panels& panels = product.panels;
    at::Tensor scratch = at::empty({depth * panels.padded()}, at::kFloat);
    float* filters = scratch.mutable_data_ptr<float>();
    for (int64_t panel = 0; panel < panels.count; ++panel) pack(panel, filters + panels.first(panel) * depth);
    constexpr int64_t kChunk = 48;
    struct Chunk {
        const Kind* kind;
        int64_t begin, end;
    };
    std::vector<Chunk> chunks;
    for (const Kind& kind : product.plan.kinds) {
        if (kind.rows.empty()) continue;
        const Parts parts(kind.rows.size(), kChunk);
        for (int64_t part = 0; part < parts.count; ++part) {
            chunks.push_back({&kind, parts.begin(part), parts.begin(part + 1)});
        }
    }
    const int64_t count = chunks.size(), groups = divided_up(product.to.count, product.plan.images);
    at::parallel_for(0, groups * count, 1, [&](int64_t begin, int64_t end) {
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

template <typename Pack>
void multiply(const Product& product, int64_t depth, const Pack& pack) {
    constexpr int64_t kSmall = 1 << 16;  // elements that stay in a core's second cache
    const bool is_small = depth * product.panels.padded() <= kSmall;
    if (is_small || product.panels.count < at::get_num_threads()) {
        multiply_by_rows(product, depth, pack);
    } else {
        multiply_by_panels(product, depth, pack);
    }
}

// -- the operators -------------------------------------------------------------------------------------------------

at::Tensor convolution(const at::Tensor& data, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                       at::IntArrayRef stride, at::IntArrayRef pad) {
    expect_images("data", data);
    expect_images("weight", weight);
    TORCH_CHECK(weight.size(1) == data.size(1), "convolution: weight of shape ", weight.sizes(), " for data of shape ",
                data.sizes(), "; expected as many channels");
    const Window window = window_of(weight.sizes().slice(2), stride, pad);
    const Images from = images_of(data), to = result_of(from, weight.size(0), window);
    const at::Tensor source = channels_last(data), filters = weight.contiguous(), result = empty_images(to);
    const Panels panels(to.channels);
    std::vector<float> padded_bias;
    if (bias) {
        TORCH_CHECK(bias->numel() == to.channels && bias->scalar_type() == at::kFloat, "convolution: bias of shape ",
                    bias->sizes(), "; expected ", to.channels, " numbers of float32");
        const at::Tensor plain = bias->contiguous();
        padded_bias.assign(panels.padded(), 0);
        std::memcpy(padded_bias.data(), plain.const_data_ptr<float>(), to.channels * sizeof(float));
    }
    const Axis down = forward_axis(from.height, to.height, window.kernel.h, window.stride.h, window.pad.h);
    const Axis across = forward_axis(from.width, to.width, window.kernel.w, window.stride.w, window.pad.w);
    const Plan plan(from, to, window.kernel.w, down, across);
    const float* weights = filters.const_data_ptr<float>();
    const int64_t taps = window.taps(), channels = from.channels;
    // A panel has the filters side by side: for each tap and channel, the number of every filter.
    const auto pack = [&](int64_t panel, float* to_panel) {
        const int64_t width = panels.vectors(panel) * kLanes;
        for (int64_t lane = 0; lane < width; lane += kLanes) {
            const float* lines[kLanes];
            for (int64_t i = 0; i < kLanes; ++i) {  // columns beyond the last filter are computed, but not kept
                const int64_t filter = std::min(panels.first(panel) + lane + i, to.channels - 1);
                lines[i] = weights + filter * channels * taps;
            }
            int64_t tap = 0, channel = 0;
            lines_to_vectors(lines, channels * taps, [&](int64_t) {
                float* place = to_panel + (tap * channels + channel) * width + lane;
                if (++tap == taps) tap = 0, ++channel;
                return place;
            });
        }
    };
    const Product product{plan, panels, source.const_data_ptr<float>(), bias ? padded_bias.data() : nullptr,
                          result.mutable_data_ptr<float>(), from, to};
    multiply(product, channels * taps, pack);
    return result;
}

at::Tensor convolution_data_gradient(const at::Tensor& grad, const at::Tensor& weight, at::IntArrayRef size,
                                     at::IntArrayRef stride, at::IntArrayRef pad) {
    expect_images("grad", grad);
    expect_images("weight", weight);
    TORCH_CHECK(size.size() == 2, "convolution: size=", size, "; expected the height and width of the data");
    const Window window = window_of(weight.sizes().slice(2), stride, pad);
    const Images to{grad.size(0), size[0], size[1], weight.size(1)}, from = images_of(grad);
    expect_result(grad, result_of(to, weight.size(0), window));
    const at::Tensor source = channels_last(grad), filters = weight.contiguous(), result = empty_images(to);
    const Panels panels(to.channels);
    const Axis down = backward_axis(to.height, from.height, window.kernel.h, window.stride.h, window.pad.h);
    const Axis across = backward_axis(to.width, from.width, window.kernel.w, window.stride.w, window.pad.w);
    const Plan plan(from, to, window.kernel.w, down, across);
    const float* weights = filters.const_data_ptr<float>();
    const int64_t taps = window.taps(), count = from.channels;
    // A panel has channels side by side: for each tap, last one first, and filter, the number of every channel.
    const auto pack = [&](int64_t panel, float* to_panel) {
        const int64_t width = panels.vectors(panel) * kLanes;
        for (int64_t filter = 0; filter < count; ++filter) {
            // The next filter's numbers are far away; this hides the way to them.
            const float* later = weights + (std::min(filter + 4, count - 1) * to.channels + panels.first(panel)) * taps;
            for (int64_t i = 0; i < panels.used(panel) * taps; i += 16) __builtin_prefetch(later + i);
            if (taps == 1 && panels.used(panel) == width) {
                std::memcpy(to_panel + filter * width, weights + filter * to.channels + panels.first(panel),
                            width * sizeof(float));
                continue;
            }
            for (int64_t lane = 0; lane < width; lane += kLanes) {
                const float* lines[kLanes];
                for (int64_t i = 0; i < kLanes; ++i) {
                    const int64_t channel = std::min(panels.first(panel) + lane + i, to.channels - 1);
                    lines[i] = weights + (filter * to.channels + channel) * taps;
                }
                lines_to_vectors(lines, taps, [&](int64_t tap) {
                    return to_panel + ((taps - 1 - tap) * count + filter) * width + lane;
                });
            }
        }
    };
    const Product product{plan, panels, source.const_data_ptr<float>(), nullptr, result.mutable_data_ptr<float>(), from,
                          to};
    multiply(product, count * taps, pack);
    return result;
}

TORCH_LIBRARY_FRAGMENT(regluon, m) {
    m.def("convolution(Tensor data, Tensor weight, Tensor? bias, int[] stride, int[] pad) -> Tensor");
    m.impl("convolution", c10::DispatchKey::CPU, TORCH_FN(convolution));
    m.def("convolution_data_gradient(Tensor grad, Tensor weight, int[] size, int[] stride, int[] pad) -> Tensor");
    m.impl("convolution_data_gradient", c10::DispatchKey::CPU, TORCH_FN(convolution_data_gradient));
}

}  // namespace
}  // namespace regluon
