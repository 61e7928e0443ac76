//===- reports.cpp - A C++ program with an installed Weir -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Reports a step on standard output.
//
//===----------------------------------------------------------------------===//

#include "weir/Training/StepReports.h"

#include <iostream>

static weir::Status reportStep() {
  weir::StepReportOptions options;
  options.descriptor = 1;
  options.progress = weir::StepReportOptions::Progress::Lines;
  weir::ReportedRun run;
  run.values = {{"loss"}};
  WEIR_ASSIGN_OR_RETURN(auto reports, weir::StepReports::open(options, run));
  const double loss = 0.5;
  reports.step({.step = 1, .epoch = 1, .values = {&loss, 1}});
  return reports.finish();
}

int main() {
  const weir::Status status = reportStep();
  if (!status.isOk())
    std::cerr << status.message() << '\n';
  return status.isOk() ? 0 : 1;
}
