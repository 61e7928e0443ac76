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

/// The flag that has made the op at `location`; empty if the graph has it.
static StringRef findFlag(Location location) {
  auto name = dyn_cast<NameLoc>(location);
  auto child = name ? dyn_cast<NameLoc>(name.getChildLoc()) : NameLoc();
  const StringRef flag = child ? child.getName().getValue() : StringRef();
  return flag.starts_with("--") ? flag : StringRef();
}

/// Words an error of an op, "'weir.add' op expects ...", as one of `flag`.
static void nameFlag(Diagnostic &diagnostic, StringRef flag) {
  constexpr StringRef opening = "' op ";
  const std::string text = diagnostic.str();
  StringRef message = text;
  if (const size_t at = message.find(opening);
      message.starts_with("'") && at != StringRef::npos)
    message = message.substr(at + opening.size());
  Diagnostic worded(diagnostic.getLocation(), diagnostic.getSeverity());
  worded << flag << ": " << message;
  for (const Diagnostic &note : diagnostic.getNotes())
    worded.attachNote(note.getLocation()) << note.str();
  diagnostic = std::move(worded);
}

void weir::nameOp(Diagnostic &diagnostic) {
  if (const StringRef flag = findFlag(diagnostic.getLocation()); !flag.empty())
    return nameFlag(diagnostic, flag);
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
