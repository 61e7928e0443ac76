//===- VerifyOverlaps.cpp - Checks which tensors share bytes ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A kernel reads and writes in any order. So a result may share bytes with an
// operand only if the kernel declares that the result may overwrite it. Two
// strided tensors share no bytes if their rows alternate in memory.
//
//===----------------------------------------------------------------------===//

#include "VerifyContext.h"
#include "weir/Artifact/Format.h"

#include <algorithm>
#include <tuple>

using namespace weir;
using namespace weir::artifact;

namespace {
/// A tensor of a launch. Two tensors share bytes only if they have the same
/// storage and their addresses overlap.
struct Piece {
  /// The number among the operands and results of the launch. Operands come
  /// first.
  uint32_t index;
  uint64_t storage;
  /// The address in the first trip of all repeats.
  uint64_t address;
  uint64_t bytes;
  /// The range of addresses in all trips together.
  uint64_t begin;
  uint64_t end;
};

class OverlapVerifier {
public:
  OverlapVerifier(const Entry &entry, const Command &launch,
                  const KernelFacts &kernel, const EnclosingRepeats &repeats,
                  VisitBudget &budget)
      : entry(entry), launch(launch), kernel(kernel), repeats(repeats),
        budget(budget) {}

  Status verify();

private:
  StatusOr<std::vector<Piece>> collect(uint32_t begin, uint32_t end) const;
  Status compareResults(const Piece &a, const Piece &b);
  Status compare(const Piece &operand, const Piece &result);
  bool moveAlike(const Piece &a, const Piece &b) const;
  StatusOr<bool> shareBytes(const Piece &a, const Piece &b);

  const View &viewOf(const Piece &piece) const {
    return *entry.views()->Get(launch.first_view() + piece.index);
  }
  const TensorType &typeOf(const Piece &piece) const {
    return piece.index < kernel.numOperands
               ? *kernel.kernel->operands()->Get(piece.index)
               : *kernel.kernel->results()->Get(piece.index -
                                                kernel.numOperands);
  }

  const Entry &entry;
  const Command &launch;
  const KernelFacts &kernel;
  const EnclosingRepeats &repeats;
  VisitBudget &budget;
};

bool isBefore(const Piece &a, const Piece &b) {
  return std::tie(a.storage, a.begin) < std::tie(b.storage, b.begin);
}

/// Calls `check` for each piece of the sorted list that begins inside of
/// `piece`. With `isInclusive`, also for pieces that begin where `piece`
/// begins.
template <typename Check>
Status forEachInside(const std::vector<Piece> &sorted, const Piece &piece,
                     bool isInclusive, Check check) {
  auto it =
      isInclusive
          ? std::lower_bound(sorted.begin(), sorted.end(), piece, isBefore)
          : std::upper_bound(sorted.begin(), sorted.end(), piece, isBefore);
  for (; it != sorted.end() && it->storage == piece.storage &&
         it->begin < piece.end;
       ++it)
    WEIR_RETURN_IF_ERROR(check(*it));
  return Status::ok();
}

/// The bytes from the first to the last element of a tensor. Dims whose stride
/// is a multiple of `modulus` bytes are left out.
uint64_t spanBelow(const TensorType &type, uint64_t elementBytes,
                   uint64_t modulus) {
  uint64_t span = elementBytes;
  for (uint32_t i = 0; i < sizeOf(type.dims()); ++i) {
    const auto dim = static_cast<uint64_t>(type.dims()->Get(i));
    const uint64_t stride =
        static_cast<uint64_t>(type.strides()->Get(i)) * elementBytes;
    if (dim > 1 && stride % modulus != 0)
      span += (dim - 1) * stride;
  }
  return span;
}
} // namespace

StatusOr<std::vector<Piece>> OverlapVerifier::collect(uint32_t begin,
                                                      uint32_t end) const {
  std::vector<Piece> pieces;
  for (uint32_t i = begin; i < end; ++i) {
    if (kernel.spanBytes[i] == 0)
      continue;
    const View &view = *entry.views()->Get(launch.first_view() + i);
    const Buffer &buffer = *entry.buffers()->Get(view.buffer());
    const uint64_t storage =
        uint64_t(buffer.kind()) << 32 | uint64_t(buffer.index());
    const uint64_t address = buffer.offset() + view.byte_offset();
    WEIR_ASSIGN_OR_RETURN(TripRange range,
                          rangeOverTrips(entry, view.strides(), repeats));
    pieces.push_back(
        {i, storage, address, kernel.spanBytes[i],
         address + static_cast<uint64_t>(range.least),
         address + static_cast<uint64_t>(range.most) + kernel.spanBytes[i]});
  }
  std::sort(pieces.begin(), pieces.end(), isBefore);
  return pieces;
}

bool OverlapVerifier::moveAlike(const Piece &a, const Piece &b) const {
  const uint32_t first = viewOf(a).strides(), second = viewOf(b).strides();
  for (uint32_t k = 0; first != second && k < repeats.size(); ++k)
    if ((first ? entry.strides()->Get(first + k) : 0) !=
        (second ? entry.strides()->Get(second + k) : 0))
      return false;
  return true;
}

/// Whether two pieces may share bytes in some trip. They share none if their
/// rows alternate in memory. This is so if one lies behind the other modulo the
/// distance of rows.
StatusOr<bool> OverlapVerifier::shareBytes(const Piece &a, const Piece &b) {
  WEIR_RETURN_IF_ERROR(budget.compareOverlap(sizeOf(typeOf(a).dims()) +
                                             sizeOf(typeOf(b).dims())));
  if (!moveAlike(a, b))
    return true;
  if (a.address + a.bytes <= b.address || b.address + b.bytes <= a.address)
    return false;
  for (const Piece *piece : {&a, &b}) {
    const TensorType &type = typeOf(*piece);
    for (uint32_t i = 0; i < sizeOf(type.dims()); ++i) {
      const uint64_t modulus = static_cast<uint64_t>(type.strides()->Get(i)) *
                               kernel.elementBytes[piece->index];
      if (modulus == 0 || type.dims()->Get(i) <= 1)
        continue;
      const uint64_t spanA =
          spanBelow(typeOf(a), kernel.elementBytes[a.index], modulus);
      const uint64_t spanB =
          spanBelow(typeOf(b), kernel.elementBytes[b.index], modulus);
      const uint64_t distance =
          a.address <= b.address
              ? (b.address - a.address) % modulus
              : modulus - 1 - (a.address - b.address - 1) % modulus;
      if (distance >= spanA && distance + spanB <= modulus)
        return false;
    }
  }
  return true;
}

Status OverlapVerifier::compareResults(const Piece &a, const Piece &b) {
  WEIR_ASSIGN_OR_RETURN(const bool areShared, shareBytes(a, b));
  if (!areShared)
    return Status::ok();
  return violation("results {} and {} share bytes",
                   a.index - kernel.numOperands, b.index - kernel.numOperands);
}

Status OverlapVerifier::compare(const Piece &operand, const Piece &result) {
  WEIR_ASSIGN_OR_RETURN(const bool areShared, shareBytes(operand, result));
  if (!areShared)
    return Status::ok();
  const uint32_t number = result.index - kernel.numOperands;
  const auto *overwrites = kernel.kernel->overwrites();
  const bool isStated =
      number < sizeOf(overwrites) &&
      overwrites->Get(number) == static_cast<int64_t>(operand.index);
  if (!isStated)
    return violation("result {} shares bytes with operand {}, which the kernel "
                     "does not say it may overwrite",
                     number, operand.index);
  if (operand.address == result.address && moveAlike(operand, result))
    return Status::ok();
  return violation("result {} overwrites operand {}, but at another place",
                   number, operand.index);
}

Status OverlapVerifier::verify() {
  const auto numViews = static_cast<uint32_t>(kernel.spanBytes.size());
  WEIR_ASSIGN_OR_RETURN(std::vector<Piece> operands,
                        collect(0, kernel.numOperands));
  WEIR_ASSIGN_OR_RETURN(std::vector<Piece> results,
                        collect(kernel.numOperands, numViews));
  for (size_t i = 0; i < results.size(); ++i) {
    const Piece &result = results[i];
    for (size_t k = i + 1;
         k < results.size() && results[k].storage == result.storage &&
         results[k].begin < result.end;
         ++k)
      WEIR_RETURN_IF_ERROR(compareResults(result, results[k]));
    WEIR_RETURN_IF_ERROR(forEachInside(
        operands, result, /*isInclusive=*/true,
        [&](const Piece &operand) { return compare(operand, result); }));
  }
  for (const Piece &operand : operands)
    WEIR_RETURN_IF_ERROR(forEachInside(
        results, operand, /*isInclusive=*/false,
        [&](const Piece &result) { return compare(operand, result); }));
  return Status::ok();
}

Status weir::artifact::verifyOverlaps(const Entry &entry, const Command &launch,
                                      const KernelFacts &kernel,
                                      const EnclosingRepeats &repeats,
                                      VisitBudget &budget) {
  return OverlapVerifier(entry, launch, kernel, repeats, budget).verify();
}
