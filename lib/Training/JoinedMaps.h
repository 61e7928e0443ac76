//===- JoinedMaps.h - What was done with columns, as text -----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_JOINEDMAPS_H
#define WEIR_LIB_TRAINING_JOINEDMAPS_H

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace weir {

/// `texts`, each of the form "COLUMN=STEPS", as `TrainerOptions::maps`. If a
/// column has several maps, their steps follow each other.
inline std::vector<std::pair<std::string, std::string>>
joinMaps(std::span<const std::string> texts) {
  std::vector<std::pair<std::string, std::string>> maps;
  for (const std::string &text : texts) {
    const size_t sign = text.find('=');
    const std::string column = text.substr(0, sign);
    const std::string steps = text.substr(std::min(sign, text.size() - 1) + 1);
    const auto same = std::ranges::find(
        maps, column, &std::pair<std::string, std::string>::first);
    if (same == maps.end())
      maps.emplace_back(column, steps);
    else
      same->second += "," + steps;
  }
  return maps;
}

} // namespace weir

#endif // WEIR_LIB_TRAINING_JOINEDMAPS_H
