//===- CapturedErrors.h - What LLVM prints about options --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_COMPILER_CAPTUREDERRORS_H
#define WEIR_LIB_COMPILER_CAPTUREDERRORS_H

#include <mutex>
#include <string>

namespace weir {

/// Captures what the process writes to standard error while this object exists.
/// LLVM reports wrong values of flags and pass options only there. A second
/// object waits until the first one no longer captures.
class CapturedErrors {
public:
  CapturedErrors();
  /// Ends the capture, and writes what was captured to standard error.
  ~CapturedErrors();
  CapturedErrors(const CapturedErrors &) = delete;
  CapturedErrors &operator=(const CapturedErrors &) = delete;

  /// Ends the capture, and returns its first line without the name of LLVM's
  /// parser: "for the --mlir-timing option: ...". Empty if nothing was
  /// captured. Other lines, such as output of other threads, are written to
  /// standard error.
  std::string take();

private:
  std::string end();

  std::unique_lock<std::mutex> turn;
  /// The descriptors of the original standard error and of the file that
  /// replaces it; -1 if there is no capture.
  int saved = -1, file = -1;
};

} // namespace weir

#endif // WEIR_LIB_COMPILER_CAPTUREDERRORS_H
