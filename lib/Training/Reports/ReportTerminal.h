//===- ReportTerminal.h - Prints lines, one of them in place ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_REPORTS_REPORTTERMINAL_H
#define WEIR_LIB_TRAINING_REPORTS_REPORTTERMINAL_H

#include <cstddef>
#include <string>
#include <string_view>

namespace weir {

/// Text for people on a descriptor. The line of progress is the last one on the
/// screen, and the cursor stays behind it. Text that other code prints
/// meanwhile follows it on the same line, and the next line of progress is
/// drawn below. Text that cannot be written is lost. Only one thread at a time
/// may use it.
class ReportTerminal {
public:
  /// `descriptor` is not closed. -1: nothing is printed.
  explicit ReportTerminal(int descriptor);
  /// Ends the line of progress.
  ~ReportTerminal();
  ReportTerminal(const ReportTerminal &) = delete;
  ReportTerminal &operator=(const ReportTerminal &) = delete;

  /// Whether a line can be rewritten in place.
  bool isTerminal() const { return canRewrite; }
  /// Whether text may have colours.
  bool hasColours() const { return colours; }
  /// The columns that a line may use, asked anew each time. 0: any number.
  size_t columns() const;

  /// Prints lines that stay, in place of the line of progress. The line of
  /// progress can then be drawn anew.
  void print(std::string_view lines);
  /// Replaces the line of progress.
  void draw(std::string_view line);

private:
  void write(std::string_view text) const;

  int descriptor;
  bool canRewrite;
  bool colours;
  bool hasLine = false;
};

} // namespace weir

#endif // WEIR_LIB_TRAINING_REPORTS_REPORTTERMINAL_H
