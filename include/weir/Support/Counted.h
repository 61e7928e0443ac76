//===- Counted.h - Counts with their nouns ----------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_COUNTED_H
#define WEIR_SUPPORT_COUNTED_H

#include <cstdint>
#include <string>
#include <string_view>

namespace weir {

/// "1 run" or "3 runs"; `ending` forms the plural of `noun`.
inline std::string counted(uint64_t count, std::string_view noun,
                           std::string_view ending = "s") {
  std::string text = std::to_string(count) + ' ' + std::string(noun);
  return count == 1 ? text : text + std::string(ending);
}

} // namespace weir

#endif // WEIR_SUPPORT_COUNTED_H
