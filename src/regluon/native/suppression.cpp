// Greedy suppression of boxes: a box is kept unless one that was kept before overlaps it too much.
//
// Each box is compared with the kept ones of its group, a few at a time, and dropped at the first that overlaps it.
// Nothing here is fused: an overlap that equals the threshold has to be rounded as torch and MXNet round it.

#include "parallel.h"
#include "tensor.h"

#include <cmath>
#include <limits>

// Until the end of this file only: other files of the batch (compiling.py) need fused operations.
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC push_options
#pragma GCC optimize("fp-contract=off")
#endif

namespace regluon::suppression {
namespace {

constexpr int64_t kAtOnce = 16;    // kept boxes that a box is compared with before it is looked whether one hit
constexpr int64_t kShared = 2048;  // boxes from which on threads share groups out
constexpr int64_t kNumbers = 5;    // of a box: left, top, right, bottom and area

// Boxes that were kept, number by number; the places behind the last one hit nothing.
class Kept {
public:
    Kept(int64_t most, float border)
        : room_((most + kAtOnce - 1) / kAtOnce * kAtOnce),
          border_(border),
          numbers_(kNumbers * room_, std::numeric_limits<float>::quiet_NaN()) {}

    void add(const float* box, int64_t stride) {
        for (int64_t i = 0; i < kNumbers; ++i) numbers_[i * room_ + count_] = box[i * stride];
        ++count_;
    }

    int64_t count() const { return count_; }

    template <bool inclusive>
    bool overlap(const float* box, int64_t stride, float threshold) const {
        const float left = box[0], top = box[stride], right = box[2 * stride], bottom = box[3 * stride];
        const float area = box[4 * stride], border = border_;
        const float *lefts = numbers_.data(), *tops = lefts + room_, *rights = tops + room_, *bottoms = rights + room_;
        const float* areas = bottoms + room_;
        for (int64_t first = 0; first < count_; first += kAtOnce) {
            int hits = 0;
            for (int64_t i = first; i < first + kAtOnce; ++i) {
                const float width = std::min(right, rights[i]) - std::max(left, lefts[i]) + border;
                const float height = std::min(bottom, bottoms[i]) - std::max(top, tops[i]) + border;
                const float shared = std::max(width, 0.0f) * std::max(height, 0.0f);
                const float part = shared / (area + areas[i] - shared);
                hits += inclusive ? part >= threshold : part > threshold;
            }
            if (hits) return true;
        }
        return false;
    }

private:
    int64_t room_, count_ = 0;
    float border_;
    std::vector<float> numbers_;
};

template <bool inclusive>
void suppress_group(const float* boxes, int64_t stride, int64_t begin, int64_t end, float threshold, float border,
                    int64_t limit, bool* keep) {
    Kept kept(std::min(end - begin, limit), border);
    for (int64_t box = begin; box < end && kept.count() < limit; ++box) {
        if (kept.overlap<inclusive>(boxes + box, stride, threshold)) continue;
        keep[box] = true;
        kept.add(boxes + box, stride);
    }
}

// Where groups of equal numbers that follow each other begin, and the end of the last.
std::vector<int64_t> starts_of(const MaybeTensor& groups, int64_t count) {
    std::vector<int64_t> starts{0};
    if (groups) {
        const int64_t* const numbers = groups->const_data_ptr<int64_t>();
        for (int64_t box = 1; box < count; ++box) {
            if (numbers[box] != numbers[box - 1]) starts.push_back(box);
        }
    }
    starts.push_back(count);
    return starts;
}

// Which of some boxes (5, n), best first in each group, are kept; at most `limit` of a group, if it is not negative.
Tensor suppress(const Tensor& boxes, const MaybeTensor& groups, double threshold, bool inclusive, double border,
                int64_t limit) {
    REGLUON_CHECK(boxes.dim() == 2 && boxes.size(0) == kNumbers && boxes.is_contiguous() &&
                      boxes.scalar_type() == kFloat,
                  "[suppress] boxes must be contiguous float32 of shape (5, n); received ", boxes.scalar_type(),
                  " of shape ", boxes.sizes());
    const int64_t count = boxes.size(1);
    REGLUON_CHECK(!groups || (groups->dim() == 1 && groups->size(0) == count && groups->is_contiguous() &&
                              groups->scalar_type() == ScalarType::Long),
                  "[suppress] groups must be contiguous int64 of shape (", count, "); received ", groups->scalar_type(),
                  " of shape ", groups->sizes());
    Tensor result = allocate({count}, ScalarType::Bool);
    bool* const keep = result.mutable_data_ptr<bool>();
    std::fill_n(keep, count, false);
    const std::vector<int64_t> starts = starts_of(groups, count);
    const int64_t number = static_cast<int64_t>(starts.size()) - 1;
    const int64_t most = limit < 0 ? std::numeric_limits<int64_t>::max() : limit;
    const auto kernel = inclusive ? suppress_group<true> : suppress_group<false>;
    parallel_for(0, number, count < kShared ? number : 1, [&](int64_t begin, int64_t end) {
        for (int64_t group = begin; group < end; ++group) {
            kernel(boxes.const_data_ptr<float>(), count, starts[group], starts[group + 1],
                   static_cast<float>(threshold), static_cast<float>(border), most, keep);
        }
    });
    return result;
}

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(regluon, m) {
    m.def("suppress(Tensor boxes, Tensor? groups, float threshold, bool inclusive, float border, int limit) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(regluon, CPU, m) {
    m.impl("suppress", TORCH_BOX(&suppress));
}

}  // namespace regluon::suppression

#ifdef __clang__
#pragma STDC FP_CONTRACT DEFAULT
#else
#pragma GCC pop_options
#endif
