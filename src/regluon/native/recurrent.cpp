// Recurrent layers in training: all steps of one direction, forward and backward.
//
// The share of the input and the gradients of the weights are single large products, which torch computes. Here is what
// goes step by step: the product of the state with the recurrent weights, and the gates, while its sums are in the
// processor's cache. Units are parted among the threads, so that each keeps to its own part of the weights, which stays
// in its cache from step to step.

#include "recurrent_cells.h"
#include "recurrent_products.h"

#include <tuple>

namespace regluon::recurrent {
namespace {

constexpr int64_t kLeastWork = 32768;   // multiplications that are worth a thread
constexpr int64_t kLeastRows = 4;       // sequences of a thread, for which it reads all weights in every step
constexpr int64_t kMostShared = 65536;  // weights, of which every thread has a copy in its cache
constexpr int64_t kMostSums = 48;       // rows whose sums are kept until the gates are computed

// -- all steps --------------------------------------------------------------------------------------------------------

// What a thread computes of a step: some sequences, and some blocks of units of them.
struct Part {
    int64_t first_row, last_row;
    int64_t first_block, last_block;
};

struct Sizes {
    int64_t length, batch, units, gates;
    bool reverse;

    int64_t state() const { return batch * units; }
    int64_t step() const { return batch * units * gates; }
    // Of the step that is taken as number `taken`: its place in time, and those of the states before and after it.
    int64_t time(int64_t taken) const { return reverse ? length - 1 - taken : taken; }
    int64_t before(int64_t taken) const { return reverse ? length - taken : taken; }
    int64_t after(int64_t taken) const { return reverse ? length - 1 - taken : taken + 1; }

    // Calls use(place) for a block of units of a sequence.
    template <class Use>
    void at_place(int64_t row, int64_t block, const Use& use) const {
        const int64_t unit = block * kLanes, width = width_of(block, units);
        const int64_t in_state = row * units + unit, in_gates = row * units * gates + unit;
        if (width == kLanes) {
            use(Place<true>{units, width, unit, in_state, in_gates});
        } else {
            use(Place<false>{units, width, unit, in_state, in_gates});
        }
    }

    // Calls take(taken, part) for all steps, from number `first` to number `last` in either direction, and all parts.
    template <class Take>
    void each_step(int64_t first, int64_t last, const Take& take) const {
        if (length == 0) {
            return;
        }
        const int64_t toward = first <= last ? 1 : -1, past = last + toward;
        const int64_t of_unit = std::max<int64_t>(1, units * gates), num_blocks = blocks_of(units);
        if (batch >= kLeastRows * num_threads() && units * of_unit <= kMostShared) {
            const int64_t of_sequence = of_unit * units * length;
            const int64_t grain = std::max(kLeastRows, divided_up(kLeastWork, std::max<int64_t>(1, of_sequence)));
            parallel_for(0, batch, grain, [&](int64_t row, int64_t end) {
                for (int64_t taken = first; taken != past; taken += toward) {
                    take(taken, Part{row, end, 0, num_blocks});
                }
            });
            return;
        }
        const int64_t grain = std::max<int64_t>(1, kLeastWork / std::max<int64_t>(1, batch * of_unit * kLanes));
        for (int64_t taken = first; taken != past; taken += toward) {
            parallel_for(0, num_blocks, grain,
                         [&](int64_t block, int64_t end) { take(taken, Part{0, batch, block, end}); });
        }
    }
};

// Calls use(place, sums) for a part of a step; each block of units has some column blocks.
template <class Use>
void each_sum(const Sizes& sizes, const Part& part, const float* rows, int64_t depth, const float* packed,
              int64_t columns, const Use& use) {
    const int64_t together = std::max<int64_t>(1, 3 / columns);
    Vec sums[kMostSums * kMostBlocks];
    for (int64_t block = part.first_block; block < part.last_block; block += together) {
        const int64_t count = std::min(together, part.last_block - block);
        for (int64_t start = part.first_row; start < part.last_row; start += kMostSums) {
            const int64_t height = std::min(kMostSums, part.last_row - start);
            multiply(rows + start * depth, depth, height, packed + block * columns * depth * kLanes, count * columns,
                     depth, sums);
            for (int64_t row = 0; row < height; ++row) {
                for (int64_t which = 0; which < count; ++which) {
                    const Vec* found = sums + (row * count + which) * columns;
                    sizes.at_place(start + row, block + which, [&](const auto& place) { use(place, found); });
                }
            }
        }
    }
}

// The arrays of all steps: (length, batch, gates * units), and (length + 1, batch, units) with the initial ones.
struct Kept {
    float* gates;
    float* states;
    float* cells;  // gru: (length, batch, units)
};

template <class Cell>
void run(const Sizes& sizes, const Kept& all, const Tensor& weight, const float* bias) {
    const auto packed = packed_forward(weight, Cell::kGates);
    const float* factors = packed.template const_data_ptr<float>();
    sizes.each_step(0, sizes.length - 1, [&](int64_t taken, const Part& part) {
        const int64_t time = sizes.time(taken), before = sizes.before(taken), after = sizes.after(taken);
        const Step step{all.gates + time * sizes.step(),
                        all.states + before * sizes.state(),
                        all.states + after * sizes.state(),
                        all.cells + before * sizes.state(),
                        all.cells + (Cell::kKeepsFirst ? after : time) * sizes.state(),
                        bias};
        const auto use = [&](const auto& place, const Vec* sums) { Cell::forward(step, place, sums); };
        each_sum(sizes, part, step.state_before, sizes.units, factors, Cell::kGates, use);
    });
}

// Gradients: those to begin with, and those to be found.
struct Gradients {
    const float* heads;  // of all outputs
    float* shares;       // of the recurrent shares of the gates
    float* state;        // of the state behind the last step; becomes that of the initial one
    float* carry;
    float* into_new;  // gru: (length, batch, units)
};

template <class Cell>
void run_back(const Sizes& sizes, const Kept& all, const Gradients& grads, const Tensor& weight) {
    const auto packed = packed_backward(weight);
    const float* factors = packed.template const_data_ptr<float>();
    const auto each_grad = [&](const Part& part, int64_t taken, const auto& use) {
        const float* shares = grads.shares + sizes.time(taken) * sizes.step();
        each_sum(sizes, part, shares, sizes.units * sizes.gates, factors, 1, use);
    };
    const int64_t last = sizes.length - 1;
    sizes.each_step(last, -1, [&](int64_t taken, const Part& part) {
        if (taken < 0) {  // behind all steps: the gradient of the initial state
            each_grad(part, 0, [&](const auto& place, const Vec* sum) {
                place.keep(grads.state, *sum + Cell::carried(grads.carry, place));
            });
            return;
        }
        const int64_t time = sizes.time(taken), before = sizes.before(taken), after = sizes.after(taken);
        const StepBack step{all.gates + time * sizes.step(),
                            all.states + before * sizes.state(),
                            all.states + after * sizes.state(),
                            all.cells + before * sizes.state(),
                            all.cells + (Cell::kKeepsFirst ? after : time) * sizes.state(),
                            grads.shares + time * sizes.step(),
                            grads.carry,
                            grads.into_new + time * sizes.state()};
        const float* head = grads.heads + time * sizes.state();
        if (taken < last) {
            each_grad(part, taken + 1, [&](const auto& place, const Vec* sum) {
                Cell::backward(step, place, *sum + Cell::carried(grads.carry, place) + place.state(head));
            });
            return;
        }
        for (int64_t row = part.first_row; row < part.last_row; ++row) {
            for (int64_t block = part.first_block; block < part.last_block; ++block) {
                sizes.at_place(row, block, [&](const auto& place) {
                    Cell::backward(step, place, place.state(head) + place.state(grads.state));
                });
            }
        }
    });
}

// -- operators --------------------------------------------------------------------------------------------------------

void expect(const char* name, const Tensor& given, Ints shape) {
    REGLUON_CHECK(given.scalar_type() == kFloat && given.is_contiguous() && given.sizes() == shape,
                  "[recurrent_steps] ", name, " is ", given.scalar_type(), " of shape ", given.sizes(),
                  given.is_contiguous() ? "" : ", not contiguous", "; expected is contiguous float32 of shape ", shape);
}

// Copies a state to a place of a sequence of states.
void copy(const Tensor& state, const Tensor& states, int64_t place) {
    expect("a state", in_order(state), states.sizes().slice(1));
    const int64_t count = state.numel();
    std::copy_n(in_order(state).const_data_ptr<float>(), count, states.mutable_data_ptr<float>() + place * count);
}

// Calls use(cell) with the kind of cell that a mode stands for.
template <class Use>
void with_cell(std::string_view mode, const Use& use) {
    if (mode == "lstm") {
        use(Lstm{});
    } else if (mode == "gru") {
        use(Gru{});
    } else if (mode == "rnn_tanh") {
        use(Plain<false>{});
    } else {
        REGLUON_CHECK(mode == "rnn_relu", "[recurrent_steps] the mode is ", mode,
                      "; expected is lstm, gru, rnn_tanh or rnn_relu");
        use(Plain<true>{});
    }
}

Sizes sizes_of(const Tensor& states, int64_t length, int64_t gates, const Tensor& weight, bool reverse) {
    const int64_t batch = states.size(-2), units = states.size(-1);
    REGLUON_CHECK(units > 0, "[recurrent_steps] there are no units");
    expect("the recurrent weight", weight, {gates * units, units});
    return {length, batch, units, gates, reverse};
}

// Runs one direction over all steps; `gates` are the shares of the input, and become the gates behind their activation.
// Returns the states, the initial one included, and cells: of lstm likewise, of gru what the reset gate is multiplied
// with.
std::tuple<Tensor, Tensor> recurrent_steps(std::string_view mode, const Tensor& gates, const Tensor& hidden,
                                           const MaybeTensor& cell, const Tensor& weight, const MaybeTensor& bias,
                                           bool reverse) {
    Tensor states, cells;
    with_cell(mode, [&](auto kind) {
        using Cell = decltype(kind);
        REGLUON_CHECK(gates.dim() == 3 && hidden.dim() == 2, "[recurrent_steps] gates and state have ", gates.dim(),
                      " and ", hidden.dim(), " axes; expected are 3 and 2");
        const auto sizes = sizes_of(hidden, gates.size(0), Cell::kGates, weight, reverse);
        expect("gates", gates, {sizes.length, sizes.batch, sizes.gates * sizes.units});
        states = allocate({sizes.length + 1, sizes.batch, sizes.units});
        copy(hidden, states, sizes.before(0));
        cells = allocate({Cell::kKeeps ? sizes.length + Cell::kKeepsFirst : 0, sizes.batch, sizes.units});
        if (Cell::kKeepsFirst) {
            REGLUON_CHECK(cell.has_value(), "[recurrent_steps] mode ", mode, " needs a cell state");
            copy(*cell, cells, sizes.before(0));
        }
        if (Cell::kHasBias) {
            REGLUON_CHECK(bias.has_value(), "[recurrent_steps] mode ", mode, " needs the bias of the recurrent shares");
            expect("the bias", *bias, {sizes.gates * sizes.units});
        }
        const Kept all{gates.mutable_data_ptr<float>(), states.mutable_data_ptr<float>(),
                       cells.mutable_data_ptr<float>()};
        run<Cell>(sizes, all, weight, Cell::kHasBias ? bias->const_data_ptr<float>() : nullptr);
    });
    return {states, cells};
}

// The gradient: of what is not given it is zero. Returns those of the recurrent shares of all gates, of the initial
// state, and of lstm that of the initial cell state, of gru those of the input's shares of the new states.
std::tuple<Tensor, Tensor, Tensor> recurrent_steps_back(std::string_view mode, const Tensor& gates,
                                                        const Tensor& states, const Tensor& cells, const Tensor& weight,
                                                        const Tensor& heads, const MaybeTensor& last,
                                                        const MaybeTensor& last_cell, bool reverse) {
    Tensor shares, state, carry, into_new;
    with_cell(mode, [&](auto kind) {
        using Cell = decltype(kind);
        REGLUON_CHECK(states.dim() == 3 && states.size(0) > 0, "[recurrent_steps] states of shape ", states.sizes(),
                      "; expected are (length + 1, batch, units)");
        const auto sizes = sizes_of(states, states.size(0) - 1, Cell::kGates, weight, reverse);
        expect("states", states, {sizes.length + 1, sizes.batch, sizes.units});
        expect("the gradient of the outputs", heads, {sizes.length, sizes.batch, sizes.units});
        if (Cell::kKeeps) {
            expect("gates", gates, {sizes.length, sizes.batch, sizes.gates * sizes.units});
            expect("cells", cells, {sizes.length + Cell::kKeepsFirst, sizes.batch, sizes.units});
        }
        const auto begun = [&](const MaybeTensor& given) {
            Tensor grad = allocate({1, sizes.batch, sizes.units});
            if (given.has_value()) {
                copy(*given, grad, 0);
            } else {
                std::fill_n(grad.mutable_data_ptr<float>(), grad.numel(), 0.0f);
            }
            return torch::stable::squeeze(grad, 0);
        };
        shares = allocate({sizes.length, sizes.batch, sizes.gates * sizes.units});
        state = begun(last);
        carry = begun(Cell::kKeepsFirst ? last_cell : std::nullopt);
        into_new = allocate({Cell::kHasBias ? sizes.length : 0, sizes.batch, sizes.units});
        const Kept all{const_cast<float*>(gates.const_data_ptr<float>()),
                       const_cast<float*>(states.const_data_ptr<float>()),
                       const_cast<float*>(cells.const_data_ptr<float>())};
        const Gradients grads{heads.const_data_ptr<float>(), shares.mutable_data_ptr<float>(),
                              state.mutable_data_ptr<float>(), carry.mutable_data_ptr<float>(),
                              into_new.mutable_data_ptr<float>()};
        run_back<Cell>(sizes, all, grads, weight);
    });
    return {shares, state, mode == "gru" ? into_new : carry};
}

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(regluon, m) {
    m.def("recurrent_steps(str mode, Tensor(a!) gates, Tensor hidden, Tensor? cell, Tensor weight, Tensor? bias, "
          "bool reverse) -> (Tensor, Tensor)");
    m.def("recurrent_steps_back(str mode, Tensor gates, Tensor states, Tensor cells, Tensor weight, Tensor heads, "
          "Tensor? last, Tensor? last_cell, bool reverse) -> (Tensor, Tensor, Tensor)");
}

STABLE_TORCH_LIBRARY_IMPL(regluon, CPU, m) {
    m.impl("recurrent_steps", TORCH_BOX(&recurrent_steps));
    m.impl("recurrent_steps_back", TORCH_BOX(&recurrent_steps_back));
}

}  // namespace regluon::recurrent
