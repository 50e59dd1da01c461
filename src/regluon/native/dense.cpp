// Dense layers: one call forward and one backward, with the bias and the activation done on the way.

#include "product.h"
#include "tensor.h"

#include <tuple>

namespace regluon::dense {
namespace {

void expect_matrix(const Tensor& data, const char* name) {
    REGLUON_CHECK(data.scalar_type() == kFloat && data.dim() == 2 && data.is_contiguous(), name, " of ",
                  data.scalar_type(), " with shape ", data.sizes(), " and strides ", data.strides(),
                  "; expected a contiguous matrix of float32");
}

// Adds the bias to sums, and cuts off what is negative then.
struct Activated {
    const float* bias;
    bool is_cut;

    template <class Part>
    Vec operator()(Part part, int64_t, Vec sum) const {
        const Vec value = bias ? sum + part.load(bias) : sum;
        return is_cut ? (value < 0 ? Vec{} : value) : value;
    }
};

// x @ weight.T + bias; negative results count as 0 if it is activated.
Tensor dense(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias, bool is_activated) {
    expect_matrix(x, "x");
    expect_matrix(weight, "weight");
    const Sizes sizes{x.size(0), x.size(1), weight.size(0)};
    REGLUON_CHECK(weight.size(1) == sizes.depth, "weight of shape ", weight.sizes(), "; expected ", sizes.depth,
                  " columns");
    REGLUON_CHECK(!bias || (bias->is_contiguous() && bias->numel() == sizes.columns && bias->scalar_type() == kFloat),
                  "bias; expected ", sizes.columns, " of float32 in one piece");
    Tensor result = allocate({sizes.rows, sizes.columns});
    const Activated finish{bias ? bias->const_data_ptr<float>() : nullptr, is_activated};
    multiply(as_it_is(x.const_data_ptr<float>(), sizes.depth), turned(weight.const_data_ptr<float>(), sizes.depth),
             {result.mutable_data_ptr<float>(), sizes.columns, 1}, sizes, finish);
    return result;
}

// The gradient in front of the activation, if there is one, and the sums of its columns.
void undo_activation(const Tensor& grad, const float* result, float* inner, float* column_sums) {
    const int64_t columns = grad.size(1);
    const float* given = grad.const_data_ptr<float>();
    const Shares shares(grad.size(0), columns);
    ColumnSums sums(shares, columns);
    shares.each([&](int64_t share, int64_t first, int64_t last) {
        float* own = sums.of(share);
        in_stretches(first, last, [&](int64_t above, int64_t below) {
            for (int64_t row = above; row < below; ++row) {
                along(columns, [&](auto part) {
                    Vec value = part.load(given + row * columns);
                    if (result) {
                        value = part.load(result + row * columns) <= 0 ? Vec{} : value;
                        part.store(inner + row * columns, value);
                    }
                    part.store(own, part.load(own) + value);
                });
            }
            sums.carry(share);
        });
    });
    sums.finish(column_sums);
}

// The gradients of x, the weight and the bias. That of x is empty if it is not wanted.
std::tuple<Tensor, Tensor, Tensor> dense_backward(const Tensor& grad, const std::optional<Tensor>& result,
                                                  const Tensor& x, const Tensor& weight, bool of_x) {
    expect_matrix(grad, "grad");
    expect_matrix(x, "x");
    expect_matrix(weight, "weight");
    const int64_t rows = x.size(0), depth = x.size(1), units = weight.size(0);
    REGLUON_CHECK(grad.size(0) == rows && grad.size(1) == units && weight.size(1) == depth, "grad of shape ",
                  grad.sizes(), ", x of ", x.sizes(), ", weight of ", weight.sizes(),
                  "; expected those of a dense layer");
    REGLUON_CHECK(!result || (result->is_contiguous() && result->sizes() == grad.sizes()), "result; expected shape ",
                  grad.sizes());
    Tensor of_weight = allocate({units, depth}), of_bias = allocate({units});
    Tensor of_data = allocate({of_x ? rows : 0, depth});
    const float* kept = result ? result->const_data_ptr<float>() : nullptr;
    Scratch inner(kept ? rows * units : 0);
    undo_activation(grad, kept, inner.data(), of_bias.mutable_data_ptr<float>());
    const float* slopes = kept ? inner.data() : grad.const_data_ptr<float>();
    multiply(turned(slopes, units), as_it_is(x.const_data_ptr<float>(), depth),
             {of_weight.mutable_data_ptr<float>(), depth, 1}, {units, rows, depth});
    if (of_x) {
        multiply(as_it_is(slopes, units), as_it_is(weight.const_data_ptr<float>(), depth),
                 {of_data.mutable_data_ptr<float>(), depth, 1}, {rows, units, depth});
    }
    return {of_data, of_weight, of_bias};
}

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(regluon, m) {
    m.def("dense(Tensor x, Tensor weight, Tensor? bias, bool is_activated) -> Tensor");
    m.def("dense_backward(Tensor grad, Tensor? result, Tensor x, Tensor weight, bool of_x)"
          " -> (Tensor, Tensor, Tensor)");
}

STABLE_TORCH_LIBRARY_IMPL(regluon, CPU, m) {
    m.impl("dense", TORCH_BOX(&dense));
    m.impl("dense_backward", TORCH_BOX(&dense_backward));
}

}  // namespace regluon::dense
