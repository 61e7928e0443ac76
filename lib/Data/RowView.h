//===- RowView.h - Which rows of a source a dataset has, in order ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DATA_ROWVIEW_H
#define WEIR_LIB_DATA_ROWVIEW_H

#include "Permutation.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace weir {

/// A view of the rows of a source. It consists of parts and fixed orders that
/// are applied one after the other.
class RowView {
public:
  void skip(int64_t count) { changes.push_back({count, std::nullopt}); }
  void permute(const Permutation &order) { changes.push_back({0, order}); }

  /// The number of the row in the source that is example `index` of the
  /// dataset.
  int64_t row(int64_t index) const {
    for (size_t i = changes.size(); i-- > 0;) {
      index += changes[i].first;
      if (changes[i].order)
        index = (*changes[i].order)[index];
    }
    return index;
  }

private:
  struct Change {
    int64_t first;
    std::optional<Permutation> order;
  };
  std::vector<Change> changes;
};

} // namespace weir

#endif // WEIR_LIB_DATA_ROWVIEW_H
