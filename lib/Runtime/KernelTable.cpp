//===- KernelTable.cpp - Finds kernels by name ------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/KernelTable.h"

#include <algorithm>

using namespace weir;

const KernelTableEntry *
weir::findKernel(std::span<const KernelTableEntry> table,
                 std::string_view name) {
  auto at = std::lower_bound(
      table.begin(), table.end(), name,
      [](const KernelTableEntry &row, std::string_view wanted) {
        return row.name < wanted;
      });
  return at != table.end() && at->name == name ? &*at : nullptr;
}
