//===- VerifyRepeats.cpp - Checks the bodies and moves of Repeats ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "VerifyContext.h"
#include "weir/Artifact/Format.h"

#include <numeric>

using namespace weir;
using namespace weir::artifact;

StatusOr<TripRange>
weir::artifact::rangeOverTrips(const Entry &entry, uint32_t strides,
                               const EnclosingRepeats &repeats) {
  TripRange range;
  if (strides == 0 || repeats.empty())
    return range;
  if (strides > sizeOf(entry.strides()) ||
      repeats.size() > sizeOf(entry.strides()) - strides)
    return violation("it is inside of {} repeats and moves by the strides from "
                     "{}; the entry has {}",
                     repeats.size(), strides, sizeOf(entry.strides()));
  for (uint32_t k = 0; k < repeats.size(); ++k) {
    const int64_t stride = entry.strides()->Get(strides + k);
    if (repeats[k].trips == 1 || stride == 0)
      continue;
    int64_t last;
    if (__builtin_mul_overflow(stride, int64_t(repeats[k].trips) - 1, &last) ||
        last > int64_t(maxBytes) || last < -int64_t(maxBytes))
      return violation("stride {} moves it by more than {} over {} trips",
                       stride, maxBytes, repeats[k].trips);
    (last < 0 ? range.least : range.most) += last;
    range.step = std::gcd(range.step, static_cast<uint64_t>(std::abs(stride)));
  }
  return range;
}

void weir::artifact::leaveRepeats(EnclosingRepeats &repeats, uint32_t index) {
  while (!repeats.empty() && repeats.back().end == index)
    repeats.pop_back();
}

Status weir::artifact::enterRepeat(EnclosingRepeats &repeats,
                                   const Command &command, uint32_t index,
                                   uint32_t numCommands) {
  const uint32_t end = repeats.empty() ? numCommands : repeats.back().end;
  const uint32_t begin = index + 1;
  if (command.value() < 1 ||
      static_cast<uint32_t>(command.value()) > end - begin)
    return violation("it repeats the {} commands behind it; expected 1 to {}",
                     command.value(), end - begin);
  if (command.index() == 0)
    return violation("it makes 0 trips; expected at least 1");
  if (repeats.size() == maxRepeatDepth)
    return violation("it is inside of {} repeats; at most {} may surround a "
                     "command",
                     repeats.size(), maxRepeatDepth);
  repeats.push_back(
      {begin, begin + static_cast<uint32_t>(command.value()), command.index()});
  return Status::ok();
}
