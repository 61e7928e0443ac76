//===- EventFile.cpp - Scalars for TensorBoard ------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// An event file is a sequence of TensorFlow's records (tfrecord): the length of
// the data, a checksum of the length, the data, a checksum of the data. The
// data is a message `Event` (tensorflow/core/util/event.proto).
//
//===----------------------------------------------------------------------===//

#include "EventFile.h"

#include "Crc32c.h"

#include "weir/Support/Printable.h"
#include "weir/Support/SystemError.h"
#include "weir/Support/WireWriter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <unistd.h>
#include <vector>

using namespace weir;

/// TensorBoard reads files whose names begin so.
static constexpr std::string_view filePrefix = "events.out.tfevents";

namespace {
/// The numbers of fields.
namespace event {
constexpr uint32_t wallTime = 1, step = 2, fileVersion = 3, summary = 5,
                   sessionLog = 7;
} // namespace event
namespace summary {
constexpr uint32_t value = 1;
} // namespace summary
namespace value {
constexpr uint32_t tag = 1, simpleValue = 2;
} // namespace value
namespace sessionLog {
constexpr uint32_t status = 1;
constexpr uint64_t start = 1;
} // namespace sessionLog

/// Seconds since 1970.
double wallTimeNow() {
  return std::chrono::duration<double>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// The checksum that records have: not that of the data, which may itself
/// contain checksums.
uint32_t maskedChecksum(std::string_view bytes) {
  const uint32_t crc = crc32c(bytes);
  return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

void appendRecord(std::string &out, std::string_view data) {
  const size_t begin = out.size();
  appendFixed(out, data.size(), 8);
  appendFixed(out, maskedChecksum(std::string_view(out).substr(begin)), 4);
  out += data;
  appendFixed(out, maskedChecksum(data), 4);
}

/// Appends an event whose last field is the text or the message `content`.
void appendEvent(std::string &out, double wallTime, int64_t step,
                 uint32_t field, std::string_view content) {
  std::string message;
  WireWriter writer(message);
  writer.addDouble(event::wallTime, wallTime);
  writer.addVarint(event::step, static_cast<uint64_t>(step));
  writer.addBytes(field, content);
  appendRecord(out, message);
}

class EventFormat : public RecordFormat {
public:
  EventFormat(const ReportedRun &run, double startTime) : startTime(startTime) {
    // Readers refuse tags that are not UTF-8.
    for (const ReportedValue &value : run.values)
      stepTags.push_back("train/" + printable(value.name));
    for (const std::string &name : run.validationValues)
      validationTags.push_back("validation/" + printable(name));
  }

  void append(std::string &out, const ReportRecord &record) override {
    const std::vector<std::string> &tags =
        record.isValidation ? validationTags : stepTags;
    std::string values;
    for (size_t i = 0; i < record.values.size(); ++i)
      addValue(values, tags[i], record.values[i]);
    if (!record.isValidation && record.seconds > 0 && record.examples > 0)
      addValue(values, "train/examples_per_second",
               static_cast<double>(record.examples) / record.seconds);
    appendEvent(out, startTime + record.elapsed, record.step, event::summary,
                values);
  }

private:
  static void addValue(std::string &out, std::string_view tag, double number) {
    std::string message;
    WireWriter writer(message);
    writer.addBytes(value::tag, tag);
    writer.addFloat(value::simpleValue, static_cast<float>(number));
    WireWriter(out).addBytes(summary::value, message);
  }

  std::vector<std::string> stepTags;
  std::vector<std::string> validationTags;
  /// The time of the run's start.
  double startTime;
};

/// What every event file begins with.
std::string fileHead(const ReportedRun &run, double startTime) {
  std::string head;
  appendEvent(head, startTime, 0, event::fileVersion, "brain.Event:2");
  if (run.stepsBefore > 0) {
    std::string message;
    WireWriter(message).addVarint(sessionLog::status, sessionLog::start);
    appendEvent(head, startTime, run.stepsBefore + 1, event::sessionLog,
                message);
  }
  return head;
}

std::string hostName() {
  char name[256] = {};
  if (::gethostname(name, sizeof(name) - 1) != 0 || !name[0])
    return "localhost";
  return name;
}
} // namespace

std::vector<std::string> weir::findEventFiles(const std::string &folder) {
  std::vector<std::string> paths;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator();
       entry.increment(error))
    if (entry->path().filename().string().starts_with(filePrefix))
      paths.push_back(entry->path().string());
  std::ranges::sort(paths);
  return paths;
}

/// An error if another run writes to one of `paths`.
static Status checkUnlocked(const std::vector<std::string> &paths) {
  for (const std::string &path : paths) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
      continue;
    const bool isLocked =
        ::flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    ::close(fd);
    if (isLocked)
      return unavailable(fmt::format("another run writes to '{}'; wait for its "
                                     "end, or name another folder",
                                     path));
  }
  return Status::ok();
}

/// Makes a file in `folder` that no other run has.
static StatusOr<RecordFile> createEventFile(const std::string &folder,
                                            const ReportedRun &run) {
  const double startTime = wallTimeNow();
  std::error_code error;
  for (int number = 0;; ++number) {
    const std::string path = fmt::format(
        "{}/{}.{:010}.{}.{}.{}", folder, filePrefix,
        static_cast<int64_t>(startTime), hostName(), ::getpid(), number);
    auto file = RecordFile::open(path, RecordFile::Mode::Create,
                                 std::make_unique<EventFormat>(run, startTime));
    // Several runs of a process may begin in the same second.
    if (!file.isOk() && std::filesystem::exists(path, error))
      continue;
    if (file.isOk())
      WEIR_RETURN_IF_ERROR(file->writeNow(fileHead(run, startTime)));
    return file;
  }
}

StatusOr<RecordFile> weir::openEventFile(const std::string &folder,
                                         const ReportedRun &run,
                                         StepReportOptions::Existing existing) {
  WEIR_RETURN_IF_ERROR(checkPath(folder));
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return systemError(fmt::format("cannot create the folder '{}'", folder),
                       error.value());
  const std::vector<std::string> earlier = findEventFiles(folder);
  WEIR_RETURN_IF_ERROR(checkUnlocked(earlier));
  WEIR_ASSIGN_OR_RETURN(RecordFile file, createEventFile(folder, run));
  if (existing == StepReportOptions::Existing::Replace)
    for (const std::string &path : earlier)
      if (::unlink(path.c_str()) != 0 && errno != ENOENT)
        return systemError(fmt::format("cannot remove '{}'", path));
  return file;
}
