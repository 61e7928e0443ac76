//===- StepReportsTest.cpp - Reports of whole runs --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Training/StepReports.h"
#include "weir/Support/MappedFile.h"
#include "weir/Support/OutputFile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <cmath>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <new>
#include <regex>
#include <thread>
#include <unistd.h>

using namespace weir;
using testing::HasSubstr;

namespace {
class StepReportsTest : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/weir-XXXXXX";
    folder = ::mkdtemp(pattern.data());
    log = folder + "/run.jsonl";
    ASSERT_EQ(::pipe(ends), 0);
    options.descriptor = ends[1];
    run.totalSteps = 6;
    run.totalEpochs = 2;
    run.values = {{"loss"}, {"rate", false}};
    run.validationValues = {"loss"};
  }
  void TearDown() override {
    ::close(ends[0]);
    if (ends[1] >= 0)
      ::close(ends[1]);
    std::filesystem::remove_all(folder);
  }

  StepReports open() {
    auto reports = StepReports::open(options, run);
    EXPECT_TRUE(reports.isOk()) << reports.status().message();
    return std::move(*reports);
  }
  std::string openError() {
    auto reports = StepReports::open(options, run);
    EXPECT_FALSE(reports.isOk());
    return std::string(reports.status().message());
  }
  /// A step of 8 examples in a quarter of a second; three steps are an epoch.
  static void step(StepReports &reports, int64_t number, double loss = 0.5) {
    const double values[] = {loss, 0.01};
    reports.step({.step = number,
                  .epoch = 1 + (number - 1) / 3,
                  .examples = 8,
                  .seconds = 0.25,
                  .values = values});
  }
  static void steps(StepReports &reports, int64_t first, int64_t last) {
    for (int64_t number = first; number <= last; ++number)
      step(reports, number);
  }
  /// What was printed. Nothing more can be printed afterwards.
  std::string printed() {
    ::close(std::exchange(ends[1], -1));
    std::string text;
    char buffer[4096];
    for (ssize_t count; (count = ::read(ends[0], buffer, sizeof(buffer))) > 0;)
      text.append(buffer, static_cast<size_t>(count));
    return text;
  }
  static std::string contents(const std::string &path) {
    auto file = MappedFile::open(path);
    EXPECT_TRUE(file.isOk()) << file.status().message();
    return {reinterpret_cast<const char *>(file->bytes().data()),
            file->bytes().size()};
  }
  /// The log, with T for each time.
  std::string logLines() const {
    return std::regex_replace(
        contents(log), std::regex(R"("seconds":[0-9.e+-]+)"), R"("seconds":T)");
  }
  void store(std::string_view text) {
    ASSERT_TRUE(atomicWriteFile(log, std::as_bytes(std::span(text))).isOk());
  }

  std::string folder;
  std::string log;
  int ends[2];
  StepReportOptions options;
  ReportedRun run;
};

/// The number of allocations of this thread.
thread_local size_t numAllocations = 0;
} // namespace

// Not inlined, because GCC warns of a free() where a new is beside it.
[[gnu::noinline]] static void *allocate(size_t size) noexcept {
  ++numAllocations;
  return std::malloc(size);
}
[[gnu::noinline]] static void release(void *memory) { std::free(memory); }

void *operator new(size_t size) {
  void *memory = allocate(size);
  return memory ? memory : throw std::bad_alloc();
}
void *operator new(size_t size, const std::nothrow_t &) noexcept {
  return allocate(size);
}
void operator delete(void *memory) noexcept { release(memory); }
void operator delete(void *memory, size_t) noexcept { release(memory); }
void operator delete(void *memory, const std::nothrow_t &) noexcept {
  release(memory);
}

// When piped, there is a line after each epoch, every N steps, and for each
// validation.
TEST_F(StepReportsTest, plainLines) {
  options.stepsPerLine = 2;
  StepReports reports = open();
  steps(reports, 1, 5);
  const double loss = 0.25;
  reports.validation(5, 2, {&loss, 1});
  step(reports, 6);
  ASSERT_TRUE(reports.finish().isOk());
  const std::string text =
      std::regex_replace(printed(), std::regex(R"(\d+:\d\d)"), "T");
  EXPECT_EQ(text,
            "step 2/6  epoch 1/2  loss 0.5  rate 0.01  32 examples/s  T left\n"
            "step 3/6  epoch 1/2  loss 0.5  rate 0.01  32 examples/s  T left\n"
            "step 4/6  epoch 2/2  loss 0.5  rate 0.01  32 examples/s  T left\n"
            "step 5/6  epoch 2/2  loss 0.5  rate 0.01  32 examples/s  T left\n"
            "validation at step 5  epoch 2/2  loss 0.25\n"
            "step 6/6  epoch 2/2  loss 0.5  rate 0.01  32 examples/s  T left\n"
            "trained 6 steps in T\n");
}

// Without a number of steps, the first step is shown at once, and further ones
// only after a time.
TEST_F(StepReportsTest, linesByTime) {
  StepReports reports = open();
  steps(reports, 1, 2);
  EXPECT_THAT(printed(), testing::StartsWith("step 1/6"));
}

// Nothing is printed on request, but warnings are.
TEST_F(StepReportsTest, noProgress) {
  options.progress = StepReportOptions::Progress::None;
  options.log = "/dev/full";
  StepReports reports = open();
  step(reports, 1);
  reports.flush();
  step(reports, 2);
  const Status status = reports.finish();
  EXPECT_EQ(status.message(),
            "cannot write '/dev/full': no space left on device");
  EXPECT_EQ(printed(), "warning: cannot write '/dev/full': no space left on "
                       "device; it lacks the steps from 1 on; training goes "
                       "on\n");
}

// With the descriptor -1, nothing at all is printed.
TEST_F(StepReportsTest, silent) {
  options.descriptor = -1;
  options.log = "/dev/full";
  options.plot = true;
  StepReports reports = open();
  steps(reports, 1, 2);
  reports.note("note");
  EXPECT_FALSE(reports.finish().isOk());
}

// The log has an object for each step and each validation, with all digits, and
// texts for numbers that JSON lacks.
TEST_F(StepReportsTest, logs) {
  options.log = log;
  run.values[0].name = "a \"loss\"";
  StepReports reports = open();
  step(reports, 1, 0.1);
  step(reports, 2, std::nan(""));
  const double loss = -HUGE_VAL;
  reports.validation(2, 1, {&loss, 1});
  ASSERT_TRUE(reports.finish().isOk());
  EXPECT_EQ(logLines(),
            R"({"step":1,"epoch":1,"train":{"a \"loss\"":0.1,"rate":0.01},)"
            R"("examples_per_second":32,"seconds":T})"
            "\n"
            R"({"step":2,"epoch":1,"train":{"a \"loss\"":"NaN","rate":0.01},)"
            R"("examples_per_second":32,"seconds":T})"
            "\n"
            R"({"step":2,"epoch":1,"validation":{"loss":"-Infinity"},)"
            R"("seconds":T})"
            "\n");
}

// A log and event files of an earlier run are replaced only on request, and a
// file that is no log never is.
TEST_F(StepReportsTest, replacesOnRequest) {
  const std::string line = "{\"step\":1,\"epoch\":1,\"seconds\":0.5}\n";
  store(line);
  options.log = log;
  EXPECT_EQ(openError(),
            "'" + log +
                "' is the log of an earlier run; go on with that run with "
                "TrainerOptions::resume, replace it with "
                "StepReportOptions::existing, or name another file");
  EXPECT_EQ(contents(log), line);
  options.existing = StepReportOptions::Existing::Replace;
  ASSERT_TRUE(open().finish().isOk());
  EXPECT_EQ(contents(log), "");
  store("notes\n");
  for (const auto existing : {StepReportOptions::Existing::Refuse,
                              StepReportOptions::Existing::Continue,
                              StepReportOptions::Existing::Replace}) {
    options.existing = existing;
    EXPECT_THAT(openError(), HasSubstr("is not the log of a run"));
    EXPECT_EQ(contents(log), "notes\n");
  }
}

// The same for event files. Other files of the folder stay.
TEST_F(StepReportsTest, replacesEventsOnRequest) {
  const std::string earlier = folder + "/events.out.tfevents.1",
                    notes = folder + "/notes";
  std::ofstream(earlier) << "events";
  std::ofstream(notes) << "notes";
  options.eventFolder = folder;
  EXPECT_THAT(openError(), HasSubstr("has event files of an earlier run; go on "
                                     "with that run with "
                                     "TrainerOptions::resume"));
  options.existing = StepReportOptions::Existing::Continue;
  ASSERT_TRUE(open().finish().isOk());
  EXPECT_EQ(contents(earlier), "events");
  options.existing = StepReportOptions::Existing::Replace;
  ASSERT_TRUE(open().finish().isOk());
  EXPECT_FALSE(std::filesystem::exists(earlier));
  EXPECT_EQ(contents(notes), "notes");
}

// Two runs cannot write to one log, or to one folder of event files.
TEST_F(StepReportsTest, hasOneWriter) {
  options.existing = StepReportOptions::Existing::Continue;
  options.log = log;
  {
    StepReports first = open();
    step(first, 1);
    first.flush();
    const std::string text = contents(log);
    EXPECT_EQ(openError(), "another run writes to '" + log +
                               "'; wait for its end, or name another file");
    EXPECT_EQ(contents(log), text);
  }
  options.log = "";
  options.eventFolder = folder + "/events";
  {
    StepReports first = open();
    EXPECT_THAT(openError(), HasSubstr("another run writes to '"));
  }
  EXPECT_TRUE(open().finish().isOk());
}

// At most one of several runs that begin at once goes on. The files of the
// others are gone.
TEST_F(StepReportsTest, hasOneWriterFromTheBeginning) {
  for (const bool isLog : {true, false})
    for (int trial = 0; trial < 50; ++trial) {
      const std::string path = folder + "/" + std::to_string(trial);
      options.log = isLog ? path : "";
      options.eventFolder = isLog ? "" : path;
      std::barrier together(2);
      std::atomic<int> numOpen = 0;
      const auto begin = [&] {
        together.arrive_and_wait();
        const auto reports = StepReports::open(options, run);
        numOpen += reports.isOk();
        together.arrive_and_wait();
      };
      std::thread other(begin);
      begin();
      other.join();
      EXPECT_LE(numOpen, 1);
      if (isLog) {
        EXPECT_EQ(numOpen, 1);
        std::filesystem::remove(path);
        continue;
      }
      size_t numFiles = 0;
      for (const auto &entry :
           std::filesystem::recursive_directory_iterator(path))
        numFiles += entry.is_regular_file();
      EXPECT_EQ(numFiles, numOpen == 1 ? 2u : 0u);
    }
}

// The log of a resumed run loses the steps that are done again, and the line
// that was being written. Its time goes on.
TEST_F(StepReportsTest, resumesLog) {
  store("{\"step\":1,\"epoch\":1,\"seconds\":0.5}\n"
        "{\"step\":2,\"epoch\":1,\"seconds\":1000}\n"
        "{\"step\":3,\"epoch\":1,\"seconds\":2000}\n"
        "{\"step\":3,\"epoch\":1,\"seconds\":3000}\n"
        "{\"step\":4,\"ep");
  options.log = log;
  options.existing = StepReportOptions::Existing::Continue;
  run.stepsBefore = 2;
  StepReports reports = open();
  step(reports, 3);
  ASSERT_TRUE(reports.finish().isOk());
  const std::string kept = "{\"step\":1,\"epoch\":1,\"seconds\":0.5}\n"
                           "{\"step\":2,\"epoch\":1,\"seconds\":1000}\n"
                           "{\"step\":2,\"resumed\":true,\"seconds\":1000}\n"
                           "{\"step\":3,\"epoch\":1,\"train\":";
  EXPECT_EQ(contents(log).substr(0, kept.size()), kept);
  EXPECT_THAT(contents(log), HasSubstr("\"seconds\":1000."));
}

// A log that is missing, empty or of later steps alone is no obstacle.
TEST_F(StepReportsTest, resumesWithoutLog) {
  options.log = log;
  options.existing = StepReportOptions::Existing::Continue;
  run.stepsBefore = 2;
  const std::string line = "{\"step\":2,\"resumed\":true,\"seconds\":0}\n";
  ASSERT_TRUE(open().finish().isOk());
  EXPECT_EQ(contents(log), line);
  store("");
  ASSERT_TRUE(open().finish().isOk());
  EXPECT_EQ(contents(log), line);
  store("{\"step\":3,\"epoch\":1,\"seconds\":2}\n");
  ASSERT_TRUE(open().finish().isOk());
  EXPECT_EQ(contents(log), line);
}

// The curves of a resumed run have the old steps, also without a log. Who draws
// none keeps none.
TEST_F(StepReportsTest, resumesCurves) {
  EXPECT_EQ(open().curveState(), "");
  options.curves = {folder + "/curve.html"};
  StepReports first = open();
  steps(first, 1, 3);
  const double loss = 0.25;
  first.validation(3, 1, {&loss, 1});
  run.curveState = first.curveState();
  ASSERT_TRUE(first.finish().isOk());
  run.stepsBefore = 3;
  for (const bool isDamaged : {false, true}) {
    if (isDamaged)
      run.curveState = "{\"train\":{\"loss\":[1,\"a\"]},\"validation\":2}";
    StepReports second = open();
    steps(second, 4, 6);
    ASSERT_TRUE(second.finish().isOk());
    const std::string page = contents(options.curves[0]);
    const std::string points = page.substr(page.find("const curves = "), 200);
    EXPECT_EQ(points.find("[1,0.5") != points.npos, !isDamaged) << points;
    EXPECT_NE(points.find("[6,0.5"), points.npos) << points;
  }
}

// Standard output is a log, too; standard input is not read in its place.
TEST_F(StepReportsTest, logsToStandardOutput) {
  store("text\n");
  const int input = ::dup(STDIN_FILENO), output = ::dup(STDOUT_FILENO);
  const int file = ::open(log.c_str(), O_WRONLY | O_APPEND);
  int typed[2];
  ASSERT_EQ(::pipe(typed), 0);
  ASSERT_EQ(::write(typed[1], "typed", 5), 5);
  ::close(typed[1]);
  ASSERT_EQ(::dup2(typed[0], STDIN_FILENO), STDIN_FILENO);
  ASSERT_EQ(::dup2(file, STDOUT_FILENO), STDOUT_FILENO);
  options.log = "-";
  run.stepsBefore = 2;
  const Status status = open().finish();
  ASSERT_EQ(::dup2(input, STDIN_FILENO), STDIN_FILENO);
  ASSERT_EQ(::dup2(output, STDOUT_FILENO), STDOUT_FILENO);
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(contents(log),
            "text\n{\"step\":2,\"resumed\":true,\"seconds\":0}\n");
  char unread;
  EXPECT_EQ(::read(typed[0], &unread, 1), 1);
  for (int descriptor : {input, output, file, typed[0]})
    ::close(descriptor);
}

// Names may have any bytes, but TensorBoard refuses tags that are not UTF-8.
TEST_F(StepReportsTest, tagsAreText) {
  options.eventFolder = folder;
  run.values[0].name = "a\xff";
  StepReports reports = open();
  step(reports, 1);
  ASSERT_TRUE(reports.finish().isOk());
  const auto path =
      std::filesystem::directory_iterator(folder + "/train")->path();
  EXPECT_THAT(contents(path), HasSubstr("a?"));
}

// A file that is no log is not touched by a run that is resumed.
TEST_F(StepReportsTest, refusesOtherFiles) {
  options.log = log;
  options.existing = StepReportOptions::Existing::Continue;
  run.stepsBefore = 2;
  for (const std::string text :
       {"a text", "a text\n", "[1]\n", "{\"step\":1.5,\"seconds\":1}\n",
        "{\"step\":1,\"seconds\":1}\nno log\n",
        "no log\n{\"step\":1,\"seconds\":1}\n"}) {
    store(text);
    EXPECT_THAT(openError(), HasSubstr("is not the log of a run")) << text;
    EXPECT_EQ(contents(log), text);
  }
}

// If one file cannot be opened, the others stay as they are.
TEST_F(StepReportsTest, opensAllOrNone) {
  const std::string text = "{\"step\":1,\"seconds\":1}\n"
                           "{\"step\":2,\"seconds\":2}\n";
  for (const int64_t steps : {0, 1}) {
    store(text);
    options.log = log;
    options.existing = StepReportOptions::Existing::Continue;
    options.eventFolder = log + "/events";
    run.stepsBefore = steps;
    EXPECT_THAT(openError(), HasSubstr(options.eventFolder));
    EXPECT_EQ(contents(log), text);
  }
  options.log = folder + "/other.jsonl";
  EXPECT_THAT(openError(), HasSubstr(options.eventFolder));
  EXPECT_FALSE(std::filesystem::exists(options.log));
}

// What cannot be opened is an error before the first step, with its name and
// what to do.
TEST_F(StepReportsTest, opensOrFails) {
  options.log = folder + "/missing/run.jsonl";
  EXPECT_THAT(openError(), HasSubstr("cannot write '" + options.log +
                                     "': no such file or directory"));
  options.log = "";
  store("a file");
  options.eventFolder = log + "/events";
  EXPECT_THAT(openError(), HasSubstr("cannot create files in the folder '" +
                                     options.eventFolder));
  options.eventFolder = log;
  EXPECT_THAT(openError(), HasSubstr(log));
  options.eventFolder = "";
  options.curves = {folder + "/missing/curve.html"};
  EXPECT_THAT(openError(), HasSubstr("no such file or directory"));
  options.curves = {folder + "/curve.svg"};
  EXPECT_THAT(openError(), HasSubstr("ends in .html or .png, found"));
  options.curves = {};
  options.stepsPerLine = -1;
  EXPECT_THAT(openError(), HasSubstr("from 0 on, found -1"));
}

// A record with another number of values than declared is left out. It is said
// once.
TEST_F(StepReportsTest, wrongNumberOfValues) {
  options.progress = StepReportOptions::Progress::None;
  options.log = log;
  StepReports reports = open();
  const double values[] = {1, 2, 3};
  reports.step({.step = 1, .epoch = 1, .values = {values, 1}});
  reports.step({.step = 1, .epoch = 1, .values = values});
  reports.validation(1, 1, values);
  EXPECT_EQ(reports.finish().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(printed(), "warning: a step or a validation has 1 values, expected "
                       "the 2 that the run has declared; such ones are not "
                       "reported\n");
  EXPECT_EQ(contents(log), "");
}

// A curve that cannot be written at the end is a warning.
TEST_F(StepReportsTest, lostCurve) {
  std::filesystem::create_directory(folder + "/curves");
  options.curves = {folder + "/curves/curve.html", folder + "/kept.html"};
  options.progress = StepReportOptions::Progress::None;
  StepReports reports = open();
  step(reports, 1);
  std::filesystem::remove_all(folder + "/curves");
  EXPECT_FALSE(reports.finish().isOk());
  EXPECT_EQ(printed(), "warning: cannot write '" + options.curves[0] +
                           "': no such file or directory; what the run "
                           "computed is not affected\n");
  EXPECT_THAT(contents(options.curves[1]), HasSubstr("</svg>"));
}

// A run without a step has no curve, which is said.
TEST_F(StepReportsTest, noStep) {
  options.curves = {folder + "/curve.html"};
  options.plot = true;
  StepReports reports = open();
  EXPECT_FALSE(reports.finish().isOk());
  EXPECT_THAT(printed(), HasSubstr("no step has a loss"));
  EXPECT_FALSE(std::filesystem::exists(options.curves[0]));
}

// On request, the plot is printed without a terminal, and without escape codes.
TEST_F(StepReportsTest, plotsWhenAsked) {
  options.plot = true;
  StepReports reports = open();
  steps(reports, 1, 6);
  ASSERT_TRUE(reports.finish().isOk());
  const std::string text = printed();
  EXPECT_THAT(text, HasSubstr("Training: loss"));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

// A step allocates nothing unless it prints a line.
TEST_F(StepReportsTest, allocatesNothing) {
  options.log = log;
  options.eventFolder = folder;
  StepReports reports = open();
  step(reports, 1);
  const size_t before = numAllocations;
  for (int64_t number = 2; number < 10'000; ++number)
    step(reports, 2);
  EXPECT_EQ(numAllocations, before);
}

// Steps and notes may come from several threads.
TEST_F(StepReportsTest, threads) {
  options.progress = StepReportOptions::Progress::None;
  options.log = log;
  StepReports reports = open();
  std::thread other([&] {
    for (int i = 0; i < 100; ++i)
      reports.note("saved");
  });
  steps(reports, 1, 1000);
  other.join();
  reports.flush();
  ASSERT_TRUE(reports.finish().isOk());
  const std::string text = contents(log);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1000);
}
