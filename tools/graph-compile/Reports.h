//===- Reports.h - The reports that graph-compile prints --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TOOLS_GRAPHCOMPILE_REPORTS_H
#define WEIR_TOOLS_GRAPHCOMPILE_REPORTS_H

#include "weir/Compiler/Compiler.h"
#include "weir/Support/FileUses.h"

#include <CLI/CLI.hpp>
#include <string>

namespace weir {

/// The flags of reports. Text goes to standard error, JSON to standard output.
class Reports {
public:
  void addFlags(CLI::App &app);

  /// Refuses reports about phases that `options` do not reach.
  Status check(const CompileOptions &options) const;
  /// Sets those of `options` that the reports need.
  void request(CompileOptions &options) const;
  /// How many reports go to standard output.
  int countOnStdout() const;
  /// Adds the files that the reports replace.
  void addFiles(FileUses &uses) const;
  /// Refuses file names that were probably meant as an input or as the mode of
  /// a flag.
  Status checkNames() const;
  /// An error if the file of the trace cannot be written.
  Status checkTrace() const;
  Status print(const CompileReport &report) const;

private:
  bool writesTrace() const { return !simulate.empty() && simulate != "text"; }

  /// "text", "json", or empty if the report is not asked for.
  std::string summary, explain, stats;
  /// "text", the file of the trace, or empty.
  std::string simulate;
};

} // namespace weir

#endif // WEIR_TOOLS_GRAPHCOMPILE_REPORTS_H
