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

/// The flag that added the op at `location`. Empty if the op is from the graph.
static StringRef findFlag(Location location) {
  auto name = dyn_cast<NameLoc>(location);
  auto child = name ? dyn_cast<NameLoc>(name.getChildLoc()) : NameLoc();
  const StringRef flag = child ? child.getName().getValue() : StringRef();
  return flag.starts_with("--") ? flag : StringRef();
}

/// Splits an error "'weir.add' op expects ..." into the kind of op and the
/// rest. For other errors, the kind is empty.
static std::pair<StringRef, StringRef> splitOp(StringRef text) {
  auto [kind, message] = text.split("' op ");
  if (message.empty() || !kind.consume_front("'") || kind.contains(' '))
    return {StringRef(), text};
  return {kind, message};
}

static void replaceText(Diagnostic &diagnostic, StringRef text) {
  Diagnostic worded(diagnostic.getLocation(), diagnostic.getSeverity());
  worded << text;
  for (const Diagnostic &note : diagnostic.getNotes())
    worded.attachNote(note.getLocation()) << note.str();
  diagnostic = std::move(worded);
}

void weir::nameOp(Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  const auto [kind, message] = splitOp(text);
  // If a flag added the op, the error becomes an error of the flag.
  if (const StringRef flag = findFlag(diagnostic.getLocation()); !flag.empty())
    return replaceText(diagnostic, (flag + ": " + message).str());
  StringRef name = getName(diagnostic.getLocation());
  std::string quoted = fmt::format("'{}'", name.str());
  std::string first = fmt::format("{}: ", name.str());
  // A message that begins with the op's name does not need the kind of op.
  if (!kind.empty() && !message.starts_with(quoted + ": ")) {
    text = ("'" + kind + "': " + message).str();
    replaceText(diagnostic, text);
  }
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
