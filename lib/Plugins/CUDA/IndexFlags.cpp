//===- IndexFlags.cpp - Indices that are out of range on GPUs -------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "IndexFlags.h"

#include "weir/Support/IndexCheckAttrs.h"

#include <atomic>
#include <cstring>

using namespace weir;

StatusOr<std::unique_ptr<IndexFlags>>
IndexFlags::make(const KernelSpec &spec, std::shared_ptr<CudaContext> context) {
  WEIR_ASSIGN_OR_RETURN(const auto checks, parseIndexChecks(spec.attrs));
  std::unique_ptr<IndexFlags> made(new IndexFlags(std::move(context)));
  for (const IndexCheck &check : checks) {
    if (check.operand < 0 ||
        check.operand >= static_cast<int64_t>(spec.operands.size()))
      return malformedIndexChecks("there is no such operand");
    const DType type = spec.operands[static_cast<size_t>(check.operand)].type;
    for (const int64_t size : check.sizes)
      made->flags.push_back(
          {std::string(check.op), {size, isUnsigned(type), check.ignored}});
  }
  if (made->flags.empty())
    made.reset();
  return made;
}

IndexFlags::~IndexFlags() {
  if (words.empty())
    return;
  context->release([&] {
    for (const auto &[buffers, own] : words)
      (void)context->api.cuMemFreeHost(own);
  });
}

StatusOr<void *> IndexFlags::of(void *const *buffers) {
  const std::lock_guard lock(mutex);
  if (const auto known = words.find(buffers); known != words.end())
    return static_cast<void *>(known->second);
  void *made = nullptr;
  const size_t bytes = flags.size() * sizeof(int32_t);
  WEIR_RETURN_IF_ERROR(context->check(
      context->api.cuMemHostAlloc(
          &made, bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
      "cuMemHostAlloc"));
  std::memset(made, 0, bytes);
  words[buffers] = static_cast<int32_t *>(made);
  return made;
}

Status IndexFlags::take(void *const *buffers) {
  const std::lock_guard lock(mutex);
  const auto known = words.find(buffers);
  if (known == words.end())
    return Status::ok();
  const Flag *outside = nullptr;
  for (size_t i = 0; i < flags.size(); ++i)
    if (std::atomic_ref(known->second[i]).exchange(0) && !outside)
      outside = &flags[i];
  if (!outside)
    return Status::ok();
  return indexOutOfRange(outside->range.ignored ? "a label" : "an index",
                         outside->op, outside->range);
}
