//===- ReportRun.cpp - Reports of a run without a network -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//   weir-report-run FOLDER FIRST LAST [MICROSECONDS]
//
// Reports the steps FIRST to LAST, each of which takes a time, and a validation
// after every tenth. The loss of step i is 10 / i. If FIRST is not 1, the run
// is a resumed one. Files: log.jsonl, events/, curve.html, curve.png.
//
//===----------------------------------------------------------------------===//

#include "weir/Training/StepReports.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

using namespace weir;

static StepReportOptions makeOptions(const std::string &folder) {
  StepReportOptions options;
  options.stepsPerLine = 100;
  options.existing = StepReportOptions::Existing::Continue;
  options.log = folder + "/log.jsonl";
  options.eventFolder = folder + "/events";
  options.curves = {folder + "/curve.html"};
  if (std::getenv("WEIR_TEST_IMAGES"))
    options.curves.push_back(folder + "/curve.png");
  options.title = "Ten & more";
  return options;
}

static void runSteps(StepReports &reports, int64_t first, int64_t last,
                     std::chrono::microseconds time) {
  for (int64_t step = first; step <= last; ++step) {
    std::this_thread::sleep_for(time);
    const double loss = 10.0 / static_cast<double>(step);
    const double values[] = {loss, 0.1};
    const int64_t epoch = 1 + (step - 1) / 50;
    reports.step({.step = step,
                  .epoch = epoch,
                  .examples = 4,
                  .seconds = 0.5,
                  .values = values});
    if (step % 10 == 0) {
      const double accuracy = 1 - loss / 10;
      const double validation[] = {loss / 2, accuracy};
      reports.validation(step, epoch, validation);
    }
  }
}

int main(int argc, char **argv) {
  if (argc < 4)
    return 2;
  const int64_t first = std::atoll(argv[2]), last = std::atoll(argv[3]);
  ReportedRun run;
  run.stepsBefore = first - 1;
  run.totalSteps = last;
  run.values = {{"loss"}, {"rate", false}};
  run.validationValues = {"loss", "accuracy"};
  auto reports = StepReports::open(makeOptions(argv[1]), run);
  if (!reports.isOk()) {
    std::fprintf(stderr, "error: %s\n", reports.status().message().data());
    return 1;
  }
  runSteps(*reports, first, last,
           std::chrono::microseconds(argc > 4 ? std::atoll(argv[4]) : 0));
  return reports->finish().isOk() ? 0 : 1;
}
