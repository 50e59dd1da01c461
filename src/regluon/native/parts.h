// Work in parts, and kernels that are compiled for each number of things they may be given at once.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace regluon {

constexpr int64_t divided_up(int64_t value, int64_t by) {
    return (value + by - 1) / by;
}

// Parts of equal size but for one: no small rest, which would take as long as a full part.
struct Parts {
    int64_t total, count;

    Parts(int64_t total, int64_t most) : total(total), count(divided_up(total, most)) {}
    int64_t begin(int64_t part) const { return part * (total / count) + std::min(part, total % count); }
    int64_t size(int64_t part) const { return begin(part + 1) - begin(part); }
};

// A table of the kernels for 1 to kMost; `kernel_for(number)` is given the number as a constant.
template <int kMost, class KernelFor>
constexpr auto kernels_up_to(KernelFor kernel_for) {
    return [&]<int... kIndex>(std::integer_sequence<int, kIndex...>) {
        return std::array{kernel_for(std::integral_constant<int, kIndex + 1>{})...};
    }(std::make_integer_sequence<int, kMost>{});
}

}  // namespace regluon
