//===- RecordFile.h - A file to which each record is appended ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_REPORTS_RECORDFILE_H
#define WEIR_LIB_TRAINING_REPORTS_RECORDFILE_H

#include "weir/Support/Status.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace weir {

/// A step or a validation, as files get it.
struct ReportRecord {
  bool isValidation = false;
  int64_t step = 0;
  int64_t epoch = 0;
  /// 0 for a validation.
  int64_t examples = 0;
  double seconds = 0;
  /// Seconds since the run was started.
  double elapsed = 0;
  std::span<const double> values;
};

/// The format of records in a file.
class RecordFormat {
public:
  virtual ~RecordFormat() = default;
  /// Appends the text or the bytes for `record`.
  virtual void append(std::string &out, const ReportRecord &record) = 0;
};

/// A file that grows at its end. Bytes are in the hands of the system when
/// `write` returns, so a process that is killed loses none of these bytes. Only
/// one thread at a time may use it.
class RecordFile {
public:
  enum class Mode {
    /// Writes after the present end of the file.
    Continue,
    /// Fails if the file exists.
    Create
  };
  /// Locks the file, if it is a regular file. An error if another run writes to
  /// it.
  static StatusOr<RecordFile> open(const std::string &path, Mode mode,
                                   std::unique_ptr<RecordFormat> format);

  RecordFile(RecordFile &&other) noexcept;
  ~RecordFile();

  /// The file's name for people.
  const std::string &name() const { return shownName; }
  /// The first error of a write. After an error, nothing more is written.
  const Status &status() const { return failure; }

  /// Nothing more is written, because of `error`.
  void fail(Status error) { failure = std::move(error); }

  /// Whether what was written can be read again.
  bool isRegular() const;

  /// Keeps the text for `record` until `write`.
  void add(const ReportRecord &record);
  /// Writes all texts that were added, or none of them. If the disk has room
  /// for only a part, this part is removed again.
  void write();
  /// Writes `bytes`, such as the beginning of the file.
  Status writeNow(std::string_view bytes);

private:
  RecordFile(std::string shownName, int fd,
             std::unique_ptr<RecordFormat> format)
      : shownName(std::move(shownName)), fd(fd), format(std::move(format)) {}
  void removePart(size_t written);
  Status lock(Mode mode) const;

  std::string shownName;
  int fd = -1;
  std::unique_ptr<RecordFormat> format;
  std::string pending;
  Status failure;
};

/// Returns an error if another run writes to one of `paths`. A path may be
/// missing.
Status checkUnlocked(std::span<const std::string> paths);

} // namespace weir

#endif // WEIR_LIB_TRAINING_REPORTS_RECORDFILE_H
