// Loops on torch's threads, through its stable C interface: torch has its own OpenMP, so any compiler will do without.

#pragma once

#include <torch/csrc/stable/c/shim.h>
#include <torch/headeronly/util/shim_utils.h>

#include <algorithm>
#include <cstdint>

namespace regluon {

inline int64_t num_threads() {
    uint32_t count = 1;
    TORCH_ERROR_CODE_CHECK(torch_get_num_threads(&count));
    return count;
}

// The number of this thread within a parallel loop, below num_threads().
inline int64_t thread_index() {
    uint32_t index = 0;
    TORCH_ERROR_CODE_CHECK(torch_get_thread_idx(&index));
    return index;
}

// Calls function(first, past the last) for contiguous ranges, at most one to a thread, none smaller than the grain.
template <class Function>
inline void parallel_for(int64_t begin, int64_t end, int64_t grain, const Function& function) {
    if (begin >= end) {
        return;
    }
    if (end - begin <= std::max<int64_t>(grain, 1)) {
        function(begin, end);
        return;
    }
    auto call = [](int64_t from, int64_t to, void* context) { (*static_cast<const Function*>(context))(from, to); };
    TORCH_ERROR_CODE_CHECK(
        torch_parallel_for(begin, end, grain, call, const_cast<void*>(static_cast<const void*>(&function))));
}

}  // namespace regluon
