//===- MessageLog.h - The messages of one compilation -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_COMPILER_MESSAGELOG_H
#define WEIR_LIB_COMPILER_MESSAGELOG_H

#include "weir/Compiler/Compiler.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>
#include <string>

namespace weir {

/// Receives the diagnostics of a context as long as this object exists. Turns
/// them into messages that name ops and are safe to print.
class MessageLog {
public:
  /// `file` is the file that is compiled, or empty. If `diagnose` is empty,
  /// messages are kept for `makeFailure`.
  MessageLog(mlir::MLIRContext &context, std::string file,
             const DiagnosticFn &diagnose);

  /// The parsed text, so that messages can show its lines.
  llvm::SourceMgr &getSources() { return sources; }
  /// Sets the function that receives each diagnostic before its op is named.
  void setListener(std::function<void(const mlir::Diagnostic &)> function) {
    listener = std::move(function);
  }
  /// Adds a note that is not about the graph.
  void addNote(llvm::StringRef text) { stream << "note: " << text << '\n'; }
  /// Passes the messages so far to `diagnose`.
  void flush();
  /// The status of a compilation that has failed with an error.
  Status makeFailure();

private:
  llvm::LogicalResult handle(mlir::Diagnostic &diagnostic);

  std::string file;
  const DiagnosticFn &diagnose;
  std::function<void(const mlir::Diagnostic &)> listener;
  llvm::SourceMgr sources;
  std::string messages;
  bool hasError = false;
  llvm::raw_string_ostream stream;
  /// `printer` prints the messages that belong to a line of the sources.
  /// `namer` receives each message before `printer` does.
  mlir::SourceMgrDiagnosticHandler printer;
  mlir::ScopedDiagnosticHandler namer;
};

} // namespace weir

#endif // WEIR_LIB_COMPILER_MESSAGELOG_H
