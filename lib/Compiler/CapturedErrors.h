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

/// Holds back what the process writes to standard error while this object
/// lives. LLVM reports the values of flags and of pass options there, and
/// nowhere else. Another object waits until this one has ended.
class CapturedErrors {
public:
  CapturedErrors();
  /// Writes to standard error what was not taken, such as that of other
  /// threads.
  ~CapturedErrors();
  CapturedErrors(const CapturedErrors &) = delete;
  CapturedErrors &operator=(const CapturedErrors &) = delete;

  /// Ends the capture. The first error without the name of LLVM's parser:
  /// "for the --mlir-timing option: ..."; empty if there is none.
  std::string take();

private:
  std::string end();

  std::unique_lock<std::mutex> turn;
  /// Standard error, and the file in its place; -1 if there is no capture.
  int saved = -1, file = -1;
};

} // namespace weir

#endif // WEIR_LIB_COMPILER_CAPTUREDERRORS_H
