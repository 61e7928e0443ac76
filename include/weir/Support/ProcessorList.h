//===- ProcessorList.h - Lists of processor numbers -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_PROCESSORLIST_H
#define WEIR_SUPPORT_PROCESSORLIST_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// The most processors that a system can have.
inline constexpr int maxProcessors = 4096;

/// Parses a list of processor numbers and ranges, as Linux writes it: "0-3,8".
/// Nothing if it is malformed, empty, or names a processor twice.
std::optional<std::vector<int>> parseProcessorList(std::string_view text);

} // namespace weir

#endif // WEIR_SUPPORT_PROCESSORLIST_H
