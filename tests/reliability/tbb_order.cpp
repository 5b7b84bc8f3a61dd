// SPDX-License-Identifier: GPL-3.0-or-later
// Order of libtbb's tasks for ThreadSanitizer. Debian's libtbb is not instrumented, so that a task
// would seem unordered with the code before its spawn and after its wait, and every parallel loop
// would race; a suppression of everything with libtbb on its stack would hide real races too. These
// entry points, which TBB's headers call (oneTBB 2021, detail/_task.h and _small_object_pool.h),
// precede the library's own: a spawned task is wrapped, and its execution comes after the spawn; a
// wait comes after the last task, by the count in the headers; memory of tasks is from the heap,
// whose reuse the sanitizer knows, and is freed, by any thread, after its allocation. Allocations
// of the library for its own threads are left out: calls from libtbb's own code alone, not from
// below it.
#include <dlfcn.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <cstdlib>
#include <new>

extern "C" {
void __tsan_acquire(void* at);
void __tsan_release(void* at);
const char* __tsan_default_suppressions() {
  return "called_from_lib:libtbb.so.12\n";
}
}

namespace {

using namespace tbb::detail;

template <class Function>
Function* nextOne(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

class Ordered final : public d1::task {
 public:
  explicit Ordered(d1::task& inner) : inner_(&inner) { __tsan_release(this); }
  d1::task* execute(d1::execution_data& data) override {
    __tsan_acquire(this);
    d1::task* next = inner_->execute(data);
    delete this;
    return next;
  }
  d1::task* cancel(d1::execution_data& data) override {
    __tsan_acquire(this);
    d1::task* next = inner_->cancel(data);
    delete this;
    return next;
  }

 private:
  d1::task* inner_;
};

// Count of open tasks, the second of two words, is zero: after all decrements.
void comeAfter(const d1::wait_context& waited) {
  static_assert(sizeof(d1::wait_context) == 2 * sizeof(std::uint64_t));
  const auto* words = reinterpret_cast<const std::atomic<std::uint64_t>*>(&waited);
  if (words[1].load(std::memory_order_acquire) != 0) std::abort();
}

struct Heap : d1::small_object_pool {};
Heap heap;

void* allocatedOnHeap(d1::small_object_pool*& pool, std::size_t bytes) {
  pool = &heap;
  void* at = ::operator new (bytes, std::align_val_t{128});
  __tsan_release(at);
  return at;
}
void freeOnHeap(void* at) {
  __tsan_acquire(at);
  ::operator delete (at, std::align_val_t{128});
}

}  // namespace

namespace tbb::detail::r1 {

void spawn(d1::task& task, d1::task_group_context& context) {
  static const auto spawnByTbb = nextOne<void(d1::task&, d1::task_group_context&)>(
      "_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextE");
  spawnByTbb(*new Ordered(task), context);
}

void spawn(d1::task& task, d1::task_group_context& context, d1::slot_id slot) {
  static const auto spawnByTbb = nextOne<void(d1::task&, d1::task_group_context&, d1::slot_id)>(
      "_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextEt");
  spawnByTbb(*new Ordered(task), context, slot);
}

void execute_and_wait(d1::task& task, d1::task_group_context& itsContext, d1::wait_context& waited,
                      d1::task_group_context& waitContext) {
  static const auto executeByTbb =
      nextOne<void(d1::task&, d1::task_group_context&, d1::wait_context&, d1::task_group_context&)>(
          "_ZN3tbb6detail2r116execute_and_waitERNS0_2d14taskERNS2_18task_group_contextERNS2_12wait_"
          "contextES6_");
  executeByTbb(task, itsContext, waited, waitContext);
  comeAfter(waited);
}

void wait(d1::wait_context& waited, d1::task_group_context& context) {
  static const auto waitByTbb = nextOne<void(d1::wait_context&, d1::task_group_context&)>(
      "_ZN3tbb6detail2r14waitERNS0_2d112wait_contextERNS2_18task_group_contextE");
  waitByTbb(waited, context);
  comeAfter(waited);
}

void* allocate(d1::small_object_pool*& pool, std::size_t bytes, const d1::execution_data&) {
  return allocatedOnHeap(pool, bytes);
}
void* allocate(d1::small_object_pool*& pool, std::size_t bytes) {
  return allocatedOnHeap(pool, bytes);
}
void deallocate(d1::small_object_pool&, void* at, std::size_t, const d1::execution_data&) {
  freeOnHeap(at);
}
void deallocate(d1::small_object_pool&, void* at, std::size_t) {
  freeOnHeap(at);
}

}  // namespace tbb::detail::r1
