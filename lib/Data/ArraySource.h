//===- ArraySource.h - Columns that are arrays in memory or files ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DATA_ARRAYSOURCE_H
#define WEIR_LIB_DATA_ARRAYSOURCE_H

#include "ColumnSource.h"

#include "weir/Support/DataBytes.h"
#include "weir/Support/HostTensor.h"
#include "weir/Support/Npy.h"

#include <memory>
#include <string>

namespace weir {

/// A source with the rows of the array `elements`. Rows are counted by the
/// first dim of `layout`. `name` says in errors where the array is from.
StatusOr<std::shared_ptr<const ColumnSource>>
makeArraySource(DataBytes elements, const NpyLayout &layout, std::string name);

/// A source with the rows of a tensor.
StatusOr<std::shared_ptr<const ColumnSource>>
makeTensorSource(HostTensor tensor, std::string name);

} // namespace weir

#endif // WEIR_LIB_DATA_ARRAYSOURCE_H
