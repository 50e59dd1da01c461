// Steps of optimizers: all weights of a list in one pass over memory, gradients rescaled, clipped and decayed on the way.
//
// A part of the runner: of hundreds of small weights, handing each through the stable ABI takes longer than moving it,
// and that ABI has no version counters.

#include "parallel.h"
#include "torch_private.h"

#include <algorithm>
#include <cmath>

namespace regluon::update {
namespace {

using Tensors = std::vector<at::Tensor>;
using Numbers64 = std::vector<double>;

constexpr int64_t kPiece = 1 << 14;  // elements that a thread takes at a time

struct Piece {
    size_t tensor;
    int64_t first, count;
};

// Whether all lists are of contiguous float32 tensors in main memory, with the shapes of the first.
bool are_plain(std::initializer_list<const Tensors*> lists) {
    const Tensors& weights = **lists.begin();
    for (const Tensors* given : lists) {
        const Tensors& list = *given;
        if (list.size() != weights.size()) {
            return false;
        }
        for (size_t place = 0; place < list.size(); ++place) {
            const auto& tensor = list[place];
            bool is_plain = tensor.scalar_type() == at::kFloat && tensor.device().is_cpu() &&
                            tensor.layout() == at::kStrided && tensor.is_contiguous() && !tensor.is_neg() &&
                            !tensor._is_zerotensor();
            if (!is_plain || tensor.sizes() != weights[place].sizes()) {
                return false;
            }
        }
    }
    return true;
}

// Calls function(tensor, first element, number of elements) for pieces of all tensors, on all threads.
template <class Function>
void for_pieces(const Tensors& tensors, const Function& function) {
    std::vector<Piece> pieces;
    int64_t total = 0;
    for (size_t place = 0; place < tensors.size(); ++place) {
        auto size = tensors[place].numel();
        total += size;
        for (int64_t first = 0; first < size; first += kPiece) {
            pieces.push_back({place, first, std::min(kPiece, size - first)});
        }
    }
    auto count = static_cast<int64_t>(pieces.size());
    auto grain = total <= 2 * kPiece ? count : 1;  // threads do not pay off for less
    parallel_for(0, count, grain, [&](int64_t begin, int64_t end) {
        for (auto place = begin; place < end; ++place) {
            function(pieces[place].tensor, pieces[place].first, pieces[place].count);
        }
    });
}

float* data_of(const Tensors& tensors, size_t place) {
    return static_cast<float*>(tensors[place].data_ptr());
}

// Tells torch, and what is kept of parameters, that tensors were written.
void mark_written(std::initializer_list<const Tensors*> lists) {
    for (const Tensors* list : lists) {
        for (const at::Tensor& tensor : *list) {
            tensor.unsafeGetTensorImpl()->bump_version();
        }
    }
}

inline float clipped(float value, float limit) {
    return limit < 0 ? value : std::min(std::max(value, -limit), limit);
}

// What moves one weight: the same for all of its elements.
struct Numbers {
    float lr, wd, scale, limit;
};

// Loops of their own, so that the compiler sees that nothing but the arrays changes. The runner of a wheel is compiled
// for all processors; these are there for the better ones too.
#if defined(__x86_64__) && defined(__linux__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define REGLUON_FOR_ALL_LEVELS __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define REGLUON_FOR_ALL_LEVELS
#endif

REGLUON_FOR_ALL_LEVELS void move_sgd(float* __restrict weight, const float* __restrict grad, int64_t count,
                                     Numbers by) {
    for (int64_t i = 0; i < count; ++i) {
        weight[i] -= by.lr * (clipped(by.scale * grad[i], by.limit) + by.wd * weight[i]);
    }
}

REGLUON_FOR_ALL_LEVELS void move_momentum(float* __restrict weight, const float* __restrict grad, float* __restrict mom,
                                          int64_t count, Numbers by, float keep) {
    for (int64_t i = 0; i < count; ++i) {
        auto moved = keep * mom[i] - by.lr * (clipped(by.scale * grad[i], by.limit) + by.wd * weight[i]);
        mom[i] = moved;
        weight[i] += moved;
    }
}

struct Averaging {
    float keep, keep_square, plus;
};

REGLUON_FOR_ALL_LEVELS void move_adam(float* __restrict weight, const float* __restrict grad, float* __restrict mean,
                                      float* __restrict variance, int64_t count, Numbers by, Averaging how) {
    for (int64_t i = 0; i < count; ++i) {
        auto slope = clipped(by.scale * grad[i] + by.wd * weight[i], by.limit);
        auto average = how.keep * mean[i] + (1 - how.keep) * slope;
        auto square = how.keep_square * variance[i] + (1 - how.keep_square) * slope * slope;
        mean[i] = average;
        variance[i] = square;
        weight[i] -= by.lr * average / (std::sqrt(square) + how.plus);
    }
}

// The numbers of each weight.
class Rates {
public:
    Rates(const Numbers64& lr, const Numbers64& wd, double rescale_grad, double clip_gradient)
        : lr_(lr), wd_(wd), scale_(static_cast<float>(rescale_grad)), limit_(static_cast<float>(clip_gradient)) {}

    bool fit(const Tensors& weights) const { return lr_.size() == weights.size() && wd_.size() == weights.size(); }

    Numbers of(size_t place) const {
        return {static_cast<float>(lr_[place]), static_cast<float>(wd_[place]), scale_, limit_};
    }

private:
    const Numbers64 &lr_, &wd_;
    float scale_, limit_;
};

bool sgd(const Tensors& weights, const Tensors& grads, const Numbers64& lr, const Numbers64& wd, double rescale_grad,
         double clip_gradient) {
    Rates rates(lr, wd, rescale_grad, clip_gradient);
    if (!rates.fit(weights) || !are_plain({&weights, &grads})) {
        return false;
    }
    for_pieces(weights, [&](size_t place, int64_t first, int64_t count) {
        move_sgd(data_of(weights, place) + first, data_of(grads, place) + first, count, rates.of(place));
    });
    mark_written({&weights});
    return true;
}

bool sgd_momentum(const Tensors& weights, const Tensors& grads, const Tensors& moms, const Numbers64& lr,
                  const Numbers64& wd, double momentum, double rescale_grad, double clip_gradient) {
    Rates rates(lr, wd, rescale_grad, clip_gradient);
    if (!rates.fit(weights) || !are_plain({&weights, &grads, &moms})) {
        return false;
    }
    for_pieces(weights, [&](size_t place, int64_t first, int64_t count) {
        move_momentum(data_of(weights, place) + first, data_of(grads, place) + first, data_of(moms, place) + first,
                      count, rates.of(place), static_cast<float>(momentum));
    });
    mark_written({&weights, &moms});
    return true;
}

bool adam(const Tensors& weights, const Tensors& grads, const Tensors& means, const Tensors& variances,
          const Numbers64& lr, const Numbers64& wd, double beta1, double beta2, double epsilon, double rescale_grad,
          double clip_gradient) {
    Rates rates(lr, wd, rescale_grad, clip_gradient);
    if (!rates.fit(weights) || !are_plain({&weights, &grads, &means, &variances})) {
        return false;
    }
    Averaging how{static_cast<float>(beta1), static_cast<float>(beta2), static_cast<float>(epsilon)};
    for_pieces(weights, [&](size_t place, int64_t first, int64_t count) {
        move_adam(data_of(weights, place) + first, data_of(grads, place) + first, data_of(means, place) + first,
                  data_of(variances, place) + first, count, rates.of(place), how);
    });
    mark_written({&weights, &means, &variances});
    return true;
}

}  // namespace

// Each tells whether it has done its work; if not, nothing was changed.
void define_updates(py::module_& module) {
    const py::call_guard<py::gil_scoped_release> others_may_run;
    module.def("sgd", &sgd, others_may_run);
    module.def("sgd_momentum", &sgd_momentum, others_may_run);
    module.def("adam", &adam, others_may_run);
}

}  // namespace regluon::update
