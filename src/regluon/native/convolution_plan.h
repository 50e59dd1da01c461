// Where the rows of a convolution, or of the gradient of its data, come from: the taps that each of them meets.

#pragma once

#include "convolution_shared.h"

#include <vector>

namespace regluon::convolutions {

// A tap of the window along one axis, and how far from the place's base it reads.
struct Tap {
    int64_t tap, shift;
    bool operator==(const Tap& other) const = default;
};

// The places along one axis: at the border they meet fewer taps.
struct Axis {
    std::vector<std::vector<Tap>> kinds;
    std::vector<int64_t> kind, base;

    void add(int64_t place_base, std::vector<Tap> taps) {
        const auto found = std::find(kinds.begin(), kinds.end(), taps);
        kind.push_back(found - kinds.begin());
        base.push_back(place_base);
        if (found == kinds.end()) kinds.push_back(std::move(taps));
    }
};

inline Axis forward_axis(int64_t size, int64_t places, int64_t kernel, int64_t stride, int64_t pad) {
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
inline Axis backward_axis(int64_t size, int64_t places, int64_t kernel, int64_t stride, int64_t pad) {
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

struct Axes {
    Axis down, across;

    // `axis_of` is one of the two above; data and result are those of the convolution.
    Axes(decltype(&forward_axis) axis_of, const Images& data, const Images& result, const Window& window)
        : down(axis_of(data.height, result.height, window.kernel.h, window.stride.h, window.pad.h)),
          across(axis_of(data.width, result.width, window.kernel.w, window.stride.w, window.pad.w)) {}
};

// A stretch of the source, from a row's own place on, and of a filter.
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

    Plan(const Images& source, const Images& target, const Window& window, const Axes& axes)
        : kinds(axes.down.kinds.size() * axes.across.kinds.size()),
          images(std::clamp<int64_t>(kMostPlanned / target.places(), 1, std::min(target.count, kImages))) {
        add_segments(source, window.kernel.w, axes);
        add_rows(source, target, axes);
    }

private:
    void add_segments(const Images& source, int64_t kernel_width, const Axes& axes) {
        const size_t kinds_across = axes.across.kinds.size();
        for (size_t number = 0; number < kinds.size(); ++number) {
            for (const Tap& up : axes.down.kinds[number / kinds_across]) {
                for (const Tap& left : axes.across.kinds[number % kinds_across]) {
                    const int64_t from = (up.shift * source.width + left.shift) * source.channels;
                    kinds[number].add({from, (up.tap * kernel_width + left.tap) * source.channels, source.channels});
                }
            }
            kinds[number].list_short_segments();
        }
    }

    void add_rows(const Images& source, const Images& target, const Axes& axes) {
        const Axis &down = axes.down, &across = axes.across;
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

}  // namespace regluon::convolutions
