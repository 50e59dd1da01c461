// The order of images in memory, for what is not written in C++.

#include "layout.h"

namespace regluon::layout {
namespace {

void expect_other_order(const Tensor& images, bool has_other_order) {
    REGLUON_CHECK(images.dim() == 4 && has_other_order, "images of shape ", images.sizes(), " and strides ",
                  images.strides(), "; expected 4 dimensions, dense and in the other order");
}

Tensor to_channels_last(const Tensor& images) {
    expect_other_order(images, images.is_contiguous() && !is_channels_last(images));
    return channels_last(images);
}

Tensor to_channels_first(const Tensor& images) {
    expect_other_order(images, is_channels_last(images) && !images.is_contiguous());
    return channels_first(images);
}

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(regluon, m) {
    m.def("to_channels_last(Tensor images) -> Tensor");
    m.def("to_channels_first(Tensor images) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(regluon, CPU, m) {
    m.impl("to_channels_last", TORCH_BOX(&to_channels_last));
    m.impl("to_channels_first", TORCH_BOX(&to_channels_first));
}

}  // namespace regluon::layout
