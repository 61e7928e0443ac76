//===- TerminalTest.cpp - The line of progress on a terminal ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Training/StepReports.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <thread>
#include <unistd.h>

using namespace weir;

namespace {
/// Both ends of a terminal, which sends what is printed as it is.
class Terminal {
public:
  explicit Terminal(unsigned short columns) {
    struct termios modes = {};
    struct winsize size = {24, columns, 0, 0};
    EXPECT_EQ(::openpty(&screen, &program, nullptr, &modes, &size), 0);
  }
  ~Terminal() {
    ::close(screen);
    ::close(program);
  }
  Terminal(const Terminal &) = delete;

  void resize(unsigned short columns) {
    struct winsize size = {24, columns, 0, 0};
    EXPECT_EQ(::ioctl(screen, TIOCSWINSZ, &size), 0);
  }
  /// What was printed since the last call.
  std::string printed() {
    // Marks the end.
    EXPECT_EQ(::write(program, "\x03", 1), 1);
    std::string text;
    char buffer[4096];
    while (!text.ends_with('\x03')) {
      const ssize_t count = ::read(screen, buffer, sizeof(buffer));
      if (count <= 0)
        break;
      text.append(buffer, static_cast<size_t>(count));
    }
    text.pop_back();
    return text;
  }
  int descriptor() const { return program; }

private:
  int screen = -1;
  int program = -1;
};

/// What a terminal shows after `text`: lines, the last one without what has
/// been cleared.
std::vector<std::string> shown(const std::string &text) {
  std::vector<std::string> lines(1);
  size_t column = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    std::string &line = lines.back();
    if (text.compare(i, 3, "\x1b[K") == 0) {
      line.resize(std::min(line.size(), column));
      i += 2;
    } else if (text[i] == '\r') {
      column = 0;
    } else if (text[i] == '\n') {
      lines.emplace_back();
      column = 0;
    } else {
      line.resize(std::max(line.size(), column + 1), ' ');
      line[column++] = text[i];
    }
  }
  return lines;
}

StepReports open(const Terminal &terminal, StepReportOptions options = {}) {
  ::setenv("TERM", "xterm", 1);
  options.descriptor = terminal.descriptor();
  ReportedRun run;
  run.totalSteps = 1000;
  run.values = {{"loss"}, {"accuracy"}};
  run.validationValues = {"loss"};
  auto reports = StepReports::open(options, run);
  EXPECT_TRUE(reports.isOk()) << reports.status().message();
  return std::move(*reports);
}

void step(StepReports &reports, int64_t number) {
  const double values[] = {0.5, 0.25};
  reports.step({.step = number,
                .epoch = 1,
                .examples = 1,
                .seconds = 0.001,
                .values = values});
}

size_t count(const std::string &text, std::string_view what) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at)
    ++found;
  return found;
}
} // namespace

// One line is rewritten, and stays with its last state at the end.
TEST(Terminal, rewritesOneLine) {
  Terminal terminal(100);
  StepReportOptions options;
  options.plot = false;
  StepReports reports = open(terminal, options);
  step(reports, 1);
  EXPECT_EQ(shown(terminal.printed()).size(), 1u);
  std::this_thread::sleep_for(std::chrono::milliseconds(110));
  step(reports, 2);
  const std::string text = terminal.printed();
  EXPECT_EQ(shown(text).size(), 1u);
  EXPECT_TRUE(shown(text)[0].starts_with("step 2/1000  epoch 1  loss 0.5"));
  step(reports, 3);
  ASSERT_TRUE(reports.finish().isOk());
  const std::vector<std::string> last = shown(terminal.printed());
  ASSERT_EQ(last.size(), 3u);
  EXPECT_TRUE(last[0].starts_with("step 3/1000")) << last[0];
  EXPECT_EQ(last[1], "stopped at step 3 of 1000 after 0:00");
  EXPECT_EQ(last[2], "");
}

// However short steps are, there are no more than ten updates in a second.
TEST(Terminal, updatesRarely) {
  Terminal terminal(100);
  StepReports reports = open(terminal);
  const auto begin = std::chrono::steady_clock::now();
  for (int64_t number = 1; number <= 20'000; ++number)
    step(reports, number);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  const size_t updates = count(terminal.printed(), "\r");
  EXPECT_GE(updates, 1u);
  EXPECT_LE(updates, 1 + static_cast<size_t>(seconds * 10));
}

// The line is narrower than the terminal is at the time.
TEST(Terminal, followsWidth) {
  Terminal terminal(40);
  StepReports reports = open(terminal);
  step(reports, 1);
  for (unsigned short columns = 120; columns > 1; --columns) {
    terminal.resize(columns);
    reports.note("x");
    const std::string line = shown(terminal.printed()).back();
    EXPECT_LT(line.size(), columns) << line;
    EXPECT_FALSE(line.empty());
  }
}

// Notes and validations stay above the line of progress.
TEST(Terminal, notesStay) {
  Terminal terminal(100);
  StepReports reports = open(terminal);
  step(reports, 1);
  reports.note("saved 'a\x1b.weir'");
  const double loss = 0.25;
  reports.validation(1, 1, {&loss, 1});
  const std::vector<std::string> lines = shown(terminal.printed());
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], "saved 'a?.weir'");
  EXPECT_EQ(lines[1], "validation at step 1  epoch 1  loss 0.25");
  EXPECT_TRUE(lines[2].starts_with("step 1/1000"));
}

// What others print follows the line of progress, and is not overwritten.
TEST(Terminal, keepsOtherText) {
  Terminal terminal(100);
  StepReports reports = open(terminal);
  step(reports, 1);
  ASSERT_EQ(::write(terminal.descriptor(), "other\n", 6), 6);
  std::this_thread::sleep_for(std::chrono::milliseconds(110));
  step(reports, 2);
  const std::vector<std::string> lines = shown(terminal.printed());
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0].starts_with("step 1/1000"));
  EXPECT_TRUE(lines[0].ends_with("other"));
  EXPECT_TRUE(lines[1].starts_with("step 2/1000"));
}

// A run that is given up leaves the cursor on a new line.
TEST(Terminal, endsLineWhenGivenUp) {
  Terminal terminal(100);
  {
    StepReports reports = open(terminal);
    step(reports, 1);
  }
  EXPECT_TRUE(terminal.printed().ends_with("\n"));
}

// The plot has colours, unless NO_COLOR is set.
TEST(Terminal, plotsWithColours) {
  for (bool isPlain : {false, true}) {
    Terminal terminal(80);
    if (isPlain)
      ::setenv("NO_COLOR", "1", 1);
    StepReports reports = open(terminal);
    ::unsetenv("NO_COLOR");
    step(reports, 1);
    step(reports, 2);
    ASSERT_TRUE(reports.finish().isOk());
    const std::string text = terminal.printed();
    EXPECT_EQ(text.find("\x1b[34m") == std::string::npos, isPlain);
    EXPECT_NE(text.find("Training: loss"), std::string::npos);
  }
}

// A terminal that cannot move its cursor gets plain lines.
TEST(Terminal, dumb) {
  Terminal terminal(80);
  ::setenv("TERM", "dumb", 1);
  StepReportOptions options;
  options.descriptor = terminal.descriptor();
  ReportedRun run;
  run.values = {{"loss"}, {"accuracy"}};
  auto reports = StepReports::open(options, run);
  ASSERT_TRUE(reports.isOk());
  step(*reports, 1);
  EXPECT_EQ(terminal.printed().find('\r'), std::string::npos);
}
