// The kinds of cells that recurrent layers are made of: a step of some units of one sequence, and its gradient.

#pragma once

#include "lanes.h"

namespace regluon::recurrent {

// exp(x) - 1 as scale * rest + (scale - 1), exact for small x too; for -87 <= x <= 87.
struct Exponential {
    Vec scale, rest;

    explicit Exponential(Vec x) {
        const Vec shift = splat(12582912.0f);  // 1.5 * 2^23: adding it rounds to whole numbers
        const Vec whole_bits = x * 1.44269504f + shift;
        const Vec whole = whole_bits - shift;
        const Vec r = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
        Vec p = r * (1.0f / 5040) + 1.0f / 720;
        p = p * r + 1.0f / 120;
        p = p * r + 1.0f / 24;
        p = p * r + 1.0f / 6;
        p = p * r + 0.5f;
        rest = p * (r * r) + r;
        scale = std::bit_cast<Vec>((std::bit_cast<IntVec>(whole_bits) << 23) + std::bit_cast<IntVec>(splat(1.0f)));
    }

    Vec value() const { return scale * rest + scale; }
    Vec less_one() const { return scale * rest + (scale - 1.0f); }
};

inline Vec sigmoid(Vec x) {
    const Vec most = splat(87.0f);
    x = x > most ? most : x;  // the comparison is false for NaN, which stays
    x = x < -most ? -most : x;
    return 1.0f / (1.0f + Exponential(-x).value());
}

inline Vec tanh(Vec x) {
    const IntVec bits = std::bit_cast<IntVec>(x), sign = bits & INT32_MIN;
    Vec twice = std::bit_cast<Vec>(bits ^ sign) * -2.0f;
    const Vec least = splat(-20.0f);  // where the result is 1
    twice = twice < least ? least : twice;
    const Vec e = Exponential(twice).less_one();
    return std::bit_cast<Vec>(std::bit_cast<IntVec>((0.0f - e) / (e + 2.0f)) ^ sign);
}

// Where a block of units of one sequence lies at some step. Gates of a sequence lie side by side, `units` each. The
// last block may be narrower than a vector; the lanes behind it are zero.
template <bool kIsWhole>
struct Place {
    int64_t units, width;
    int64_t unit;                // the first
    int64_t in_state, in_gates;  // offsets

    Vec load_from(const float* from) const {
        if constexpr (kIsWhole) {
            return load(from);
        }
        return Rest{0, width}.load(from);
    }

    void store_to(float* to, Vec value) const {
        if constexpr (kIsWhole) {
            store(to, value);
        } else {
            Rest{0, width}.store(to, value);
        }
    }

    Vec gate(const float* gates, int64_t number) const { return load_from(gates + in_gates + number * units); }
    void keep_gate(float* gates, int64_t number, Vec value) const {
        store_to(gates + in_gates + number * units, value);
    }
    Vec state(const float* states) const { return load_from(states + in_state); }
    void keep(float* states, Vec value) const { store_to(states + in_state, value); }
};

// One step forward; what it finds in gates is the share of the input.
struct Step {
    float* gates;
    const float* state_before;
    float* state;
    const float* cell_before;  // lstm
    float* cell;               // lstm; gru: the recurrent share of the new state
    const float* bias;         // gru: of the recurrent shares
};

// One step backward. `carry` is a gradient that goes to the step before otherwise than through the gates.
struct StepBack {
    const float* gates;
    const float* state_before;
    const float* state;
    const float* cell_before;
    const float* cell;
    float* shares;  // gradients of the recurrent shares of the gates
    float* carry;
    float* into_new;  // gru: the gradient of the input's share of the new state
};

struct Lstm {
    static constexpr int64_t kGates = 4;
    static constexpr bool kKeeps = true, kKeepsFirst = true, kHasBias = false;

    template <class Place>
    static void forward(const Step& step, const Place& place, const Vec* sums) {
        Vec gates[kGates];
        for (int64_t gate = 0; gate < kGates; ++gate) {
            const Vec sum = sums[gate] + place.gate(step.gates, gate);
            gates[gate] = gate == 2 ? tanh(sum) : sigmoid(sum);
            place.keep_gate(step.gates, gate, gates[gate]);
        }
        const Vec cell = gates[1] * place.state(step.cell_before) + gates[0] * gates[2];
        place.keep(step.cell, cell);
        place.keep(step.state, gates[3] * tanh(cell));
    }

    template <class Place>
    static void backward(const StepBack& step, const Place& place, Vec grad) {
        Vec gates[kGates], shares[kGates];
        for (int64_t gate = 0; gate < kGates; ++gate) {
            gates[gate] = place.gate(step.gates, gate);
        }
        const auto [enter, forget, fresh, leave] = gates;
        const Vec bounded = tanh(place.state(step.cell));
        const Vec of_cell = place.state(step.carry) + grad * leave * (1.0f - bounded * bounded);
        shares[0] = of_cell * fresh * enter * (1.0f - enter);
        shares[1] = of_cell * place.state(step.cell_before) * forget * (1.0f - forget);
        shares[2] = of_cell * enter * (1.0f - fresh * fresh);
        shares[3] = grad * bounded * leave * (1.0f - leave);
        for (int64_t gate = 0; gate < kGates; ++gate) {
            place.keep_gate(step.shares, gate, shares[gate]);
        }
        place.keep(step.carry, of_cell * forget);
    }

    template <class Place>
    static Vec carried(const float*, const Place&) {
        return Vec{};
    }
};

struct Gru {
    static constexpr int64_t kGates = 3;
    static constexpr bool kKeeps = true, kKeepsFirst = false, kHasBias = true;

    template <class Place>
    static void forward(const Step& step, const Place& place, const Vec* sums) {
        Vec shares[kGates], recurrent[kGates];
        for (int64_t gate = 0; gate < kGates; ++gate) {
            shares[gate] = place.gate(step.gates, gate);
            const float* bias = step.bias + gate * place.units + place.unit;
            recurrent[gate] = sums[gate] + place.load_from(bias);
        }
        const Vec reset = sigmoid(shares[0] + recurrent[0]), update = sigmoid(shares[1] + recurrent[1]);
        const Vec fresh = tanh(shares[2] + reset * recurrent[2]);
        place.keep_gate(step.gates, 0, reset);
        place.keep_gate(step.gates, 1, update);
        place.keep_gate(step.gates, 2, fresh);
        place.keep(step.cell, recurrent[2]);
        place.keep(step.state, fresh + update * (place.state(step.state_before) - fresh));
    }

    template <class Place>
    static void backward(const StepBack& step, const Place& place, Vec grad) {
        const Vec reset = place.gate(step.gates, 0);
        const Vec update = place.gate(step.gates, 1);
        const Vec fresh = place.gate(step.gates, 2);
        const Vec into_new = grad * (1.0f - update) * (1.0f - fresh * fresh);
        const Vec into_update = grad * (place.state(step.state_before) - fresh) * update * (1.0f - update);
        const Vec into_reset = into_new * place.state(step.cell) * reset * (1.0f - reset);
        place.keep_gate(step.shares, 0, into_reset);
        place.keep_gate(step.shares, 1, into_update);
        place.keep_gate(step.shares, 2, into_new * reset);
        place.keep(step.into_new, into_new);
        place.keep(step.carry, grad * update);
    }

    template <class Place>
    static Vec carried(const float* carry, const Place& place) {
        return place.state(carry);
    }
};

template <bool kIsRelu>
struct Plain {
    static constexpr int64_t kGates = 1;
    static constexpr bool kKeeps = false, kKeepsFirst = false, kHasBias = false;

    template <class Place>
    static void forward(const Step& step, const Place& place, const Vec* sums) {
        const Vec sum = sums[0] + place.gate(step.gates, 0);
        place.keep(step.state, kIsRelu ? (sum < Vec{} ? Vec{} : sum) : tanh(sum));
    }

    template <class Place>
    static void backward(const StepBack& step, const Place& place, Vec grad) {
        const Vec state = place.state(step.state);
        const Vec share = kIsRelu ? (state <= Vec{} ? Vec{} : grad) : grad * (1.0f - state * state);
        place.keep_gate(step.shares, 0, share);
    }

    template <class Place>
    static Vec carried(const float*, const Place&) {
        return Vec{};
    }
};

}  // namespace regluon::recurrent
