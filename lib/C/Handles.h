//===- Handles.h - What the handles of the C API are ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_C_HANDLES_H
#define WEIR_LIB_C_HANDLES_H

#include "LastError.h"
#include "weir/C/weir.h"
#include "weir/Runtime/DLPack.h"
#include "weir/Runtime/Session.h"
#include "weir/Support/Trace.h"

#include <memory>
#include <string>
#include <vector>

struct weir_entry {
  const weir::Session *session;
  weir::SessionEntry entry;
  std::string name;
};

struct weir_session {
  /// The entries, sorted by name. The list never changes. The session waits for
  /// callbacks, which may use the entries. So the session is destroyed before
  /// the entries.
  std::vector<weir_entry> entries;
  std::vector<weir::DeviceInfo> devices;
  std::unique_ptr<weir::Session> session;
};

struct weir_cancel_token {
  weir::CancelToken token;
};

struct weir_trace {
  weir::Trace trace;
};

struct weir_device_tensor {
  weir::DeviceTensor tensor;
};

struct weir_imported_tensor {
  weir::ImportedTensor tensor;
};

struct weir_variables {
  std::vector<weir::VariableInfo> infos;
};

namespace weir::c {

/// The input or output `index` of an entry, for its shape number `shape`.
StatusOr<const TensorInfo *> findPort(const weir_entry *entry, size_t shape,
                                      size_t index, bool isOutput);

/// Returns an error unless the entry has a shape with the number `shape`.
Status checkShapeNumber(const weir_entry *entry, size_t shape);

} // namespace weir::c

#endif // WEIR_LIB_C_HANDLES_H
