//===- Diagnostics.cpp - Diagnostics that are safe to print -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"

#include "weir/Support/Printable.h"

using namespace mlir;

void weir::makePrintable(Diagnostic &diagnostic) {
  Diagnostic safe(diagnostic.getLocation(), diagnostic.getSeverity());
  safe << printable(diagnostic.str());
  for (const Diagnostic &note : diagnostic.getNotes())
    safe.attachNote(note.getLocation()) << printable(note.str());
  diagnostic = std::move(safe);
}
