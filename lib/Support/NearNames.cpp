//===- NearNames.cpp - Suggests similar names -----------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/NearNames.h"

#include "weir/Support/Printable.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <vector>

using namespace weir;

size_t weir::editDistance(std::string_view left, std::string_view right) {
  std::vector<size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 0; i < left.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < right.size(); ++j) {
      const size_t changed = diagonal + (left[i] != right[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, changed});
    }
  }
  return row.back();
}

std::string weir::nearNames(std::string_view name,
                            std::span<const std::string> names) {
  constexpr size_t numShown = 5, longest = 256;
  std::vector<std::pair<size_t, const std::string *>> near;
  const std::string_view cut = name.substr(0, longest);
  for (const std::string &known : names)
    near.emplace_back(
        editDistance(cut, std::string_view(known).substr(0, longest)), &known);
  std::stable_sort(near.begin(), near.end(), [](const auto &a, const auto &b) {
    return a.first < b.first;
  });
  near.resize(std::min(near.size(), numShown));
  std::string list;
  for (const auto &[distance, known] : near)
    list += fmt::format("{}'{}'", list.empty() ? "" : ", ", printable(*known));
  return list.empty() ? "none" : list;
}
