// Large blocks of memory that tensors give back, kept for the next ones.
//
// New pages cost a training step up to a tenth of its time, so what is freed should serve again. The heap of the C
// library does that, but aligned blocks of many sizes that live for different times leave holes in it: it was seen to
// grow to six times of what was in use, in some hundred steps of a recurrent network. Here every large block is a mapping
// of its own, which serves again whole or goes back to the system. What is in use and what is kept are together hardly
// more than the most that was in use; what nobody wanted for a minute goes back.

#include "arrays.h"

#include <pthread.h>
#include <sys/mman.h>

#include <chrono>
#include <list>
#include <map>
#include <mutex>
#include <unordered_map>

namespace regluon::memory {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kLarge = 256 << 10;  // bytes; of smaller blocks the C library takes care
constexpr size_t kPage = 4096;
constexpr size_t kSlack = 64 << 20;  // bytes; measured: with less, networks of many different sizes wait for new pages
constexpr auto kPatience = std::chrono::seconds(60);

struct Kept {
    void* data;
    size_t size;
    Clock::time_point since;
};

class Blocks : public c10::Allocator {
public:
    explicit Blocks(c10::Allocator* small) : small_(small) {}

    c10::DataPtr allocate(size_t count) override {
        if (count < kLarge) {
            return small_->allocate(count);
        }
        void* data = take((count + kPage - 1) / kPage * kPage);
        if (data == nullptr) {
            return small_->allocate(count);  // which says that there is not enough memory
        }
        c10::profiledCPUMemoryReporter().New(data, count);
        return {data, data, &give_back, c10::Device(c10::DeviceType::CPU)};
    }

    // It frees what was allocated, of either kind.
    c10::DeleterFnPtr raw_deleter() const override { return &give_back; }

    void copy_data(void* target, const void* source, size_t count) const override {
        default_copy_data(target, source, count);
    }

    // Gives what is kept back to the system, and returns how many bytes that were.
    size_t release() {
        std::lock_guard<std::mutex> lock(mutex_);
        const size_t released = kept_bytes_;
        while (!kept_.empty()) {
            unmap_oldest();
        }
        most_ = in_use_;
        return released;
    }

    std::mutex& mutex() { return mutex_; }

    void put(void* data) {
        std::unique_lock<std::mutex> lock(mutex_);
        auto found = sizes_.find(data);
        if (found == sizes_.end()) {
            lock.unlock();
            small_->raw_deleter()(data);
            return;
        }
        const size_t size = found->second;
        sizes_.erase(found);
        in_use_ -= size;
        c10::profiledCPUMemoryReporter().Delete(data);  // before another thread can have the block
        const auto now = Clock::now();
        kept_.push_back({data, size, now});
        kept_bytes_ += size;
        by_size_.emplace(size, std::prev(kept_.end()));
        bool is_any_old = false;
        while (now - kept_.front().since > kPatience) {
            unmap_oldest();
            is_any_old = true;
        }
        if (is_any_old) {
            most_ = in_use_ + kept_bytes_;
        }
    }

private:
    static void give_back(void* data);

    // A block of this size, or somewhat more; null if the system has none.
    void* take(size_t size) {
        std::lock_guard<std::mutex> lock(mutex_);
        auto fitting = by_size_.lower_bound(size);
        if (fitting != by_size_.end() && fitting->first <= size + size / 2) {
            void* data = fitting->second->data;
            size = fitting->first;
            kept_bytes_ -= size;
            kept_.erase(fitting->second);
            by_size_.erase(fitting);
            return noted(data, size);
        }
        while (!kept_.empty() && in_use_ + kept_bytes_ + size > most_ + kSlack) {
            unmap_oldest();
        }
        void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return data == MAP_FAILED ? nullptr : noted(data, size);
    }

    void* noted(void* data, size_t size) {
        sizes_.emplace(data, size);
        in_use_ += size;
        most_ = std::max(most_, in_use_);
        return data;
    }

    void unmap_oldest() {
        const auto [data, size, since] = kept_.front();
        for (auto [place, end] = by_size_.equal_range(size); place != end; ++place) {
            if (place->second == kept_.begin()) {
                by_size_.erase(place);
                break;
            }
        }
        kept_.pop_front();
        kept_bytes_ -= size;
        munmap(data, size);
    }

    c10::Allocator* small_;
    std::mutex mutex_;
    std::list<Kept> kept_;  // oldest first
    std::multimap<size_t, std::list<Kept>::iterator> by_size_;
    std::unordered_map<void*, size_t> sizes_;  // of blocks in use
    size_t in_use_ = 0, kept_bytes_ = 0, most_ = 0;
};

Blocks* blocks = nullptr;  // never freed: tensors may outlive the module

void Blocks::give_back(void* data) {
    blocks->put(data);
}

// Has torch allocate through it, in this process from now on.
void keep_blocks() {
    if (blocks != nullptr) {
        return;
    }
    blocks = new Blocks(c10::GetCPUAllocator());
    // A child must not begin with a lock that another thread of its parent had.
    pthread_atfork([] { blocks->mutex().lock(); }, [] { blocks->mutex().unlock(); }, [] { blocks->mutex().unlock(); });
    c10::SetCPUAllocator(blocks);
}

}  // namespace

void define_memory(pybind11::module_& module) {
    module.def("keep_blocks", &keep_blocks);
    module.def("release_blocks", [] { return blocks == nullptr ? 0 : blocks->release(); });
}

}  // namespace regluon::memory
