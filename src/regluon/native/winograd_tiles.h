// How the results of a convolution are divided into the tiles of Winograd's method.

#pragma once

#include "parts.h"
#include "winograd_transforms.h"

namespace regluon::winograd {

struct Range {
    int64_t begin, end;

    int64_t length() const { return std::max<int64_t>(end - begin, 0); }
};

// Lengths of an axis of the result: whole tiles, and perhaps a short one at the end.
struct Axis {
    int64_t length, whole, rest, rest_side;  // rest: 0 or 1; rest_side: results of the short tile's transform

    explicit Axis(int64_t size) : length(size) {
        const int64_t left = size % kSide;
        whole = size / kSide;
        rest = left > 0;
        rest_side = rest ? std::max(left, kLeastSide) : kSide;
    }
};

struct Tile {
    int64_t image, top, left;  // in the result
    int64_t down, across;      // results of its transform
};

// A convolution. Tiles of all images are numbered in an order in which those that use a point are neighbours: first
// tiles that are short across, then whole ones, those that are short down, and those that are short both ways.
struct Layer {
    int64_t batch, channels, height, width, pad_down, pad_across, filters;
    Axis down, across;

    int64_t panels() const { return divided_up(filters, kPanel); }
    int64_t beside() const { return batch * down.whole * across.rest; }
    int64_t whole() const { return batch * down.whole * across.whole; }
    int64_t below() const { return batch * down.rest * across.whole; }
    int64_t tiles() const { return beside() + whole() + below() + batch * down.rest * across.rest; }

    Tile tile(int64_t number) const {
        const int64_t last_row = down.whole * kSide, last_column = across.whole * kSide;
        if (number < beside()) {
            return {number / down.whole, number % down.whole * kSide, last_column, kSide, across.rest_side};
        }
        number -= beside();
        if (number < whole()) {
            const int64_t each = down.whole * across.whole, inside = number % each;
            return {number / each, inside / across.whole * kSide, inside % across.whole * kSide, kSide, kSide};
        }
        number -= whole();
        if (number < below()) {
            return {number / across.whole, last_row, number % across.whole * kSide, down.rest_side, kSide};
        }
        return {number - below(), last_row, last_column, down.rest_side, across.rest_side};
    }

    // Those tiles of a block that use a point, counted from the block's first one.
    Range using_point(int64_t point, Range block) const {
        const bool is_down = uses(down.rest_side, point / kPatch), is_across = uses(across.rest_side, point % kPatch);
        const int64_t first = is_across ? 0 : beside(), short_down = beside() + whole();
        const int64_t last = !is_down ? short_down : is_across ? tiles() : short_down + below();
        return {std::max(first, block.begin) - block.begin, std::min(last, block.end) - block.begin};
    }
};

}  // namespace regluon::winograd
