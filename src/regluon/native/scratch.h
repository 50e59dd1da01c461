// Memory for the time of a call.

#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace regluon {

// So many numbers, at the beginning of a line of the cache.
//
// A thread keeps what it had for its next call: pages that are new to a process cost more than the products in them.
class Scratch {
public:
    explicit Scratch(int64_t count) {
        for (auto& block : kept()) {
            if (block.count >= count && block.count > block_.count) {
                std::swap(block, block_);
            }
        }
        if (block_.count < count) {
            block_ = Block(count);
        }
    }
    Scratch(const Scratch&) = delete;
    ~Scratch() {
        for (auto& block : kept()) {
            if (block.count < block_.count && block_.count <= kMost) {
                std::swap(block, block_);
            }
        }
    }
    float* data() { return block_.data.get(); }

private:
    static constexpr std::align_val_t kLine{64};
    static constexpr int64_t kMost = 1 << 20;  // numbers in a block that is kept

    struct Free {
        void operator()(float* data) const { ::operator delete(data, kLine); }
    };
    struct Block {
        int64_t count = 0;
        std::unique_ptr<float, Free> data;

        Block() = default;
        explicit Block(int64_t count)
            : count(count), data(static_cast<float*>(::operator new(count * sizeof(float), kLine))) {}
    };

    static std::vector<Block>& kept() {
        static thread_local std::vector<Block> blocks(2);
        return blocks;
    }

    Block block_;
};

}  // namespace regluon
