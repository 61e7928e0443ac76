//===- ParameterMemory.cpp - Parameters in the host's memory --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ParameterMemory.h"

#include "weir/Artifact/BlobReader.h"
#include "weir/Support/Alignment.h"
#include "weir/Support/SystemError.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace weir;

/// The first touch of a small page takes as long as to copy the page. So large
/// blobs get pages of this size, if the system has any.
static constexpr uint64_t hugePage = uint64_t(2) << 20;

static StatusOr<void *> reserve(uint64_t bytes,
                                int protection = PROT_READ | PROT_WRITE) {
  void *memory = ::mmap(nullptr, bytes, protection,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return systemError(
        fmt::format("cannot reserve {} bytes for parameters", bytes));
  return memory;
}

/// Calls madvise for the pages of `size` bytes that lie in [from, from + bytes)
/// as a whole.
static void advise(const void *from, uint64_t bytes, uint64_t size,
                   int advice) {
  const uint64_t begin = alignTo(reinterpret_cast<uintptr_t>(from), size);
  const uint64_t end =
      (reinterpret_cast<uintptr_t>(from) + bytes) / size * size;
  if (begin < end)
    (void)::madvise(reinterpret_cast<void *>(begin), end - begin, advice);
}

ParameterMemory::ParameterMemory(const artifact::Artifact &artifact,
                                 bool mayRead, SharedWeights *weights)
    : artifact(artifact), mayRead(mayRead), weights(weights) {}

StatusOr<std::unique_ptr<ParameterMemory>>
ParameterMemory::create(const artifact::Artifact &artifact, bool mayRead,
                        SharedWeights *weights) {
  std::unique_ptr<ParameterMemory> memory(
      new ParameterMemory(artifact, mayRead, weights));
  std::vector<uint32_t> present;
  const auto *blobs = artifact.model().blobs();
  for (uint32_t i = 0; blobs && i < blobs->size(); ++i)
    if (blobs->Get(i)->bytes() > 0)
      present.push_back(i);
  if (present.empty())
    return memory;
  WEIR_RETURN_IF_ERROR(memory->reserveAddresses(present));
  for (const uint32_t index : present) {
    if (weights)
      memory->findShared(index);
    memory->byAddress.emplace_back(memory->address(index), index);
  }
  std::ranges::sort(memory->byAddress);
  return memory;
}

ParameterMemory::~ParameterMemory() { freeStaging(); }

/// Reserves addresses for all bytes of the file from the first of `blobs` to
/// the last one.
Status ParameterMemory::reserveAddresses(const std::vector<uint32_t> &blobs) {
  const auto offsetOf = [&](uint32_t index) {
    return artifact.model().blobs()->Get(index)->offset();
  };
  firstOffset = offsetOf(std::ranges::min(blobs, {}, offsetOf));
  uint64_t end = 0;
  for (const uint32_t index : blobs)
    end = std::max(end, offsetOf(index) + bytesOf(index));
  const uint64_t bytes = end - firstOffset;
  // Some systems promise no more memory than they have, and refuse so many
  // bytes if these may be written.
  WEIR_ASSIGN_OR_RETURN(void *reserved,
                        mayRead ? reserve(bytes) : reserve(bytes, PROT_NONE));
  base.reset(static_cast<std::byte *>(reserved),
             [bytes](void *at) { ::munmap(at, bytes); });
  return Status::ok();
}

/// Shares blob `index`, if another model has read it to use it unpacked.
void ParameterMemory::findShared(uint32_t index) {
  if (!artifact.model().blobs()->Get(index)->type())
    return;
  auto weight = weights->find(contentOf(index));
  if (weight && isInFile(index, weight->data()))
    shared.emplace(index, std::move(weight));
}

/// Whether blob `index` has the bytes at `bytes`. Compares them, because equal
/// hashes are no proof.
bool ParameterMemory::isInFile(uint32_t index, const std::byte *bytes) const {
  return artifact
      .visitBlob(index,
                 [&](std::span<const std::byte> part) {
                   const bool isEqual =
                       std::memcmp(bytes, part.data(), part.size()) == 0;
                   bytes += part.size();
                   return isEqual ? Status::ok() : dataLoss("other bytes");
                 })
      .isOk();
}

uint64_t ParameterMemory::bytesOf(uint32_t index) const {
  return artifact.model().blobs()->Get(index)->bytes();
}

WeightContent ParameterMemory::contentOf(uint32_t index) const {
  const artifact::Blob &blob = *artifact.model().blobs()->Get(index);
  return {blob.hash(), blob.bytes(), 0, "", blob.bytes()};
}

std::byte *ParameterMemory::address(uint32_t index) const {
  if (const auto at = shared.find(index); at != shared.end())
    return const_cast<std::byte *>(at->second->data());
  const artifact::Blob &blob = *artifact.model().blobs()->Get(index);
  return base.get() + (blob.bytes() ? blob.offset() - firstOffset : 0);
}

std::optional<uint32_t> ParameterMemory::blobAt(const void *address) const {
  const auto behind = std::ranges::upper_bound(
      byAddress, static_cast<const std::byte *>(address), {},
      &std::pair<const std::byte *, uint32_t>::first);
  if (behind == byAddress.begin())
    return std::nullopt;
  const auto [begin, index] = *std::prev(behind);
  if (address >= begin + bytesOf(index))
    return std::nullopt;
  return index;
}

std::optional<WeightContent>
ParameterMemory::contentAt(const void *address) const {
  const std::optional<uint32_t> blob = blobAt(address);
  if (!blob)
    return std::nullopt;
  WeightContent content = contentOf(*blob);
  content.offset = static_cast<uint64_t>(
      static_cast<const std::byte *>(address) - this->address(*blob));
  return content;
}

void ParameterMemory::freeStaging() {
  if (stagingMapping)
    ::munmap(stagingMapping, stagingMapped);
  stagingMapping = nullptr;
  staging = nullptr;
  stagingBytes = stagingMapped = 0;
}

Status ParameterMemory::growStaging(uint64_t bytes) {
  if (bytes <= stagingBytes)
    return Status::ok();
  freeStaging();
  const uint64_t whole = alignTo(bytes, hugePage);
  WEIR_ASSIGN_OR_RETURN(stagingMapping, reserve(whole + hugePage));
  stagingMapped = whole + hugePage;
  staging = reinterpret_cast<std::byte *>(
      alignTo(reinterpret_cast<uintptr_t>(stagingMapping), hugePage));
  stagingBytes = whole;
  advise(staging, whole, hugePage, MADV_HUGEPAGE);
  return Status::ok();
}

/// Reads an operand in a blob, part by part, to the staging memory.
class ParameterMemory::StagedReader final : public ConstantReader {
public:
  /// The operand begins at `offset` in the blob.
  StagedReader(ParameterMemory &memory, uint32_t blob, uint64_t offset)
      : memory(memory), blob(blob), operandOffset(offset) {
    reader.emplace(memory.artifact, blob);
  }

  StatusOr<const void *> read(uint64_t offset, uint64_t bytes) override;
  Status finish() { return reader->finish(); }

private:
  Status stageNext(uint64_t bytes);

  ParameterMemory &memory;
  uint32_t blob;
  uint64_t operandOffset;
  std::optional<artifact::BlobReader> reader;
  /// The part of the blob that is staged.
  uint64_t stagedBegin = 0, stagedEnd = 0;
};

/// Reads the next `bytes` bytes of the blob.
Status ParameterMemory::StagedReader::stageNext(uint64_t bytes) {
  WEIR_RETURN_IF_ERROR(memory.growStaging(bytes));
  stagedBegin = stagedEnd = reader->bytesRead();
  WEIR_RETURN_IF_ERROR(reader->read({memory.staging, bytes}));
  stagedEnd += bytes;
  return Status::ok();
}

StatusOr<const void *> ParameterMemory::StagedReader::read(uint64_t offset,
                                                           uint64_t bytes) {
  const uint64_t blobBytes =
      memory.artifact.model().blobs()->Get(blob)->bytes();
  const uint64_t begin = operandOffset + offset;
  if (begin > blobBytes || bytes > blobBytes - begin)
    return internalError(fmt::format(
        "a kernel packs {} bytes at offset {} of a parameter of {} bytes",
        bytes, begin, blobBytes));
  const bool isStaged = begin >= stagedBegin && begin + bytes <= stagedEnd;
  if (!isStaged && begin == reader->bytesRead()) {
    WEIR_RETURN_IF_ERROR(stageNext(bytes));
  } else if (!isStaged) {
    // If parts are read in another order, the whole blob is staged.
    WEIR_RETURN_IF_ERROR(reader->finish());
    reader.emplace(memory.artifact, blob);
    WEIR_RETURN_IF_ERROR(stageNext(blobBytes));
  }
  return memory.staging + (begin - stagedBegin);
}

Status
ParameterMemory::read(const void *address,
                      const std::function<Status(ConstantReader &)> &use) {
  if (!mayRead)
    return Status::ok();
  const std::optional<uint32_t> blob = blobAt(address);
  if (!blob || shared.contains(*blob)) {
    MemoryReader reader(address);
    return use(reader);
  }
  const std::byte *begin = this->address(*blob);
  StagedReader reader(
      *this, *blob,
      static_cast<uint64_t>(static_cast<const std::byte *>(address) - begin));
  WEIR_RETURN_IF_ERROR(use(reader));
  return reader.finish();
}

Status
ParameterMemory::visit(uint32_t index,
                       const artifact::Artifact::BlobVisitor &visit) const {
  return mayRead ? artifact.visitBlob(index, visit) : Status::ok();
}

/// Blob `index` at its address. The memory of a blob is returned to the system
/// when no model uses the blob, even if a model uses other blobs.
std::shared_ptr<SharedWeight>
ParameterMemory::makeWeight(uint32_t index) const {
  const auto freePages = [base = base, bytes = bytesOf(index)](const void *at) {
    advise(at, bytes, static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)),
           MADV_DONTNEED);
  };
  std::byte *at = address(index);
  return std::make_shared<SharedWeight>(
      WeightPlace{at, std::shared_ptr<const void>(at, freePages)});
}

Status ParameterMemory::readInPlace(uint32_t index) {
  if (const auto at = shared.find(index); at != shared.end()) {
    inPlace.try_emplace(index, at->second);
    return Status::ok();
  }
  if (mayRead) {
    advise(address(index), bytesOf(index), hugePage, MADV_HUGEPAGE);
    WEIR_RETURN_IF_ERROR(
        artifact.readBlob(index, {address(index), bytesOf(index)}));
  }
  std::shared_ptr<SharedWeight> weight = makeWeight(index);
  if (weights)
    weights->add(contentOf(index), weight);
  inPlace.try_emplace(index, std::move(weight));
  return Status::ok();
}

void ParameterMemory::finish() {
  freeStaging();
  byAddress.clear();
  shared.clear();
}
