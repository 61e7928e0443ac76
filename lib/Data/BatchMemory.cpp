//===- BatchMemory.cpp - The memory of batches, used again ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "BatchMemory.h"

#include <algorithm>
#include <utility>

using namespace weir;

StatusOr<std::unique_ptr<BatchMemory>>
BatchPool::take(const std::shared_ptr<BatchPool> &pool, int64_t rows) {
  {
    std::lock_guard lock(pool->mutex);
    // The list is searched from its end, because the memory that was used last
    // may still be in the caches.
    auto found =
        std::find_if(pool->unused.rbegin(), pool->unused.rend(),
                     [&](const auto &memory) { return memory->rows == rows; });
    if (found != pool->unused.rend()) {
      std::unique_ptr<BatchMemory> memory = std::move(*found);
      pool->unused.erase(std::next(found).base());
      memory->pool = pool;
      return memory;
    }
    // The list gets enough space now, so that `give` allocates nothing.
    pool->unused.reserve(++pool->allocations);
  }
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<BatchMemory> memory,
                        pool->allocate(rows));
  memory->pool = pool;
  return memory;
}

StatusOr<std::unique_ptr<BatchMemory>> BatchPool::allocate(int64_t rows) const {
  auto memory = std::make_unique<BatchMemory>();
  memory->rows = rows;
  for (const ColumnInfo &column : columns) {
    std::vector<int64_t> dims = {rows};
    dims.insert(dims.end(), column.dims.begin(), column.dims.end());
    WEIR_ASSIGN_OR_RETURN(HostTensor tensor,
                          HostTensor::zeros(column.type, std::move(dims)));
    memory->tensors.push_back(std::move(tensor));
  }
  return memory;
}

void BatchPool::give(std::unique_ptr<BatchMemory> memory) {
  // Memory in the pool must not own the pool. Otherwise the pool would never be
  // destroyed.
  memory->pool = nullptr;
  std::lock_guard lock(mutex);
  unused.push_back(std::move(memory));
}

uint64_t BatchPool::numAllocations() {
  std::lock_guard lock(mutex);
  return allocations;
}

Batch::Batch(std::unique_ptr<BatchMemory> memory) : memory(std::move(memory)) {}
Batch::Batch(Batch &&other) noexcept = default;

Batch &Batch::operator=(Batch &&other) noexcept {
  std::swap(memory, other.memory);
  return *this;
}

Batch::~Batch() {
  if (!memory)
    return;
  // This keeps the pool alive during the call, even if this is its last batch.
  const std::shared_ptr<BatchPool> pool = std::move(memory->pool);
  pool->give(std::move(memory));
}

std::span<const HostTensor> Batch::tensors() const { return memory->tensors; }
int64_t Batch::count() const { return memory->count; }
BatchPosition Batch::position() const { return memory->position; }
