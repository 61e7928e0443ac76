//===- Diagnostics.cpp - Diagnostics that are safe to print -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"

#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Support/Printable.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;

void weir::makePrintable(Diagnostic &diagnostic) {
  Diagnostic safe(diagnostic.getLocation(), diagnostic.getSeverity());
  safe << printable(diagnostic.str());
  for (const Diagnostic &note : diagnostic.getNotes())
    safe.attachNote(note.getLocation()) << printable(note.str());
  diagnostic = std::move(safe);
}

void weir::nameOp(Diagnostic &diagnostic) {
  StringRef name = getName(diagnostic.getLocation());
  std::string text = diagnostic.str();
  std::string quoted = fmt::format("'{}'", name.str());
  std::string first = fmt::format("{}: ", name.str());
  if (!name.empty() && !StringRef(text).contains(quoted) &&
      !StringRef(text).starts_with(first))
    diagnostic << " (at '" << name << "')";
}

static StringRef nameSeverity(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("there are four");
}

void weir::printMessage(llvm::raw_ostream &os, StringRef file,
                        const Diagnostic &diagnostic) {
  if (!file.empty())
    os << file << ": ";
  os << nameSeverity(diagnostic.getSeverity()) << ": " << diagnostic << '\n';
  for (const Diagnostic &note : diagnostic.getNotes())
    printMessage(os, file, note);
}
