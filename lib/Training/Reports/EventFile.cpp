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
#include "ReportChecks.h"

#include "weir/Support/Printable.h"
#include "weir/Support/SystemError.h"
#include "weir/Support/WireWriter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <unistd.h>
#include <vector>

using namespace weir;

/// The beginning of the names of event files. TensorBoard reads only such
/// files.
static constexpr std::string_view filePrefix = "events.out.tfevents";

namespace {
/// The numbers of the fields in TensorBoard's messages.
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

/// The checksum in the form that records have. It is not the plain checksum of
/// the data, because the data may contain checksums itself.
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

/// The format of a file with steps, or of a file with validations.
class EventFormat : public RecordFormat {
public:
  EventFormat(const ReportedRun &run, bool isValidation, double startTime)
      : isValidation(isValidation), startTime(startTime) {
    // Readers refuse tags that are not UTF-8.
    if (isValidation)
      for (const std::string &name : run.validationValues)
        tags.push_back(printable(name));
    else
      for (const ReportedValue &value : run.values)
        tags.push_back(printable(value.name));
  }

  void append(std::string &out, const ReportRecord &record) override {
    if (record.isValidation != isValidation)
      return;
    std::string values;
    for (size_t i = 0; i < record.values.size(); ++i)
      addValue(values, tags[i], record.values[i]);
    if (!isValidation && record.seconds > 0 && record.examples > 0)
      addValue(values, "examples_per_second",
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

  const bool isValidation;
  std::vector<std::string> tags;
  /// The time of the run's start.
  double startTime;
};

/// The beginning of every event file.
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

/// The folders of a run. TensorBoard takes each folder for a run. It draws the
/// values of several runs in one chart if they have the same tag.
static constexpr const char *trainFolder = "train";
static constexpr const char *validationFolder = "validation";

std::vector<std::string> weir::findEventFiles(const std::string &folder) {
  std::vector<std::string> paths;
  // Earlier versions wrote to the folder itself.
  for (const std::string &each :
       {folder, folder + "/" + trainFolder, folder + "/" + validationFolder}) {
    std::error_code error;
    std::filesystem::directory_iterator entry(each, error);
    for (; !error && entry != std::filesystem::directory_iterator();
         entry.increment(error))
      if (entry->path().filename().string().starts_with(filePrefix))
        paths.push_back(entry->path().string());
  }
  std::ranges::sort(paths);
  return paths;
}

namespace {
/// The files of a run that begins.
struct NewFiles {
  std::vector<std::string> paths;
  std::vector<RecordFile> files;

  /// Makes a file in `folder` that no other run has, and locks it.
  Status add(const std::string &folder, const ReportedRun &run,
             bool isValidation);
  void remove() const {
    for (const std::string &path : paths)
      ::unlink(path.c_str());
  }
};
} // namespace

Status NewFiles::add(const std::string &folder, const ReportedRun &run,
                     bool isValidation) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return systemError(fmt::format("cannot create the folder '{}'", folder),
                       error.value());
  const double startTime = wallTimeNow();
  for (int number = 0;; ++number) {
    const std::string path = fmt::format(
        "{}/{}.{:010}.{}.{}.{}", folder, filePrefix,
        static_cast<int64_t>(startTime), hostName(), ::getpid(), number);
    auto file = RecordFile::open(
        path, RecordFile::Mode::Create,
        std::make_unique<EventFormat>(run, isValidation, startTime));
    // Several runs of a process may begin in the same second.
    if (!file.isOk() && std::filesystem::exists(path, error))
      continue;
    WEIR_RETURN_IF_ERROR(file.status());
    paths.push_back(path);
    files.push_back(*std::move(file));
    return files.back().writeNow(fileHead(run, startTime));
  }
}

/// Makes the files of `run`, and decides what becomes of other event files in
/// the folder.
static Status makeFiles(const StepReportOptions &options,
                        const ReportedRun &run, NewFiles &made) {
  using Existing = StepReportOptions::Existing;
  const std::string &folder = options.eventFolder;
  WEIR_RETURN_IF_ERROR(
      made.add(folder + "/" + trainFolder, run, /*isValidation=*/false));
  if (!run.validationValues.empty())
    WEIR_RETURN_IF_ERROR(
        made.add(folder + "/" + validationFolder, run, /*isValidation=*/true));
  // Two runs may begin at once. The run that looks later sees the files of the
  // other run, which are locked by then.
  std::vector<std::string> others = findEventFiles(folder);
  std::erase_if(others, [&](const std::string &path) {
    return std::ranges::find(made.paths, path) != made.paths.end();
  });
  WEIR_RETURN_IF_ERROR(checkUnlocked(others));
  if (others.empty() || options.existing == Existing::Continue)
    return Status::ok();
  if (options.existing == Existing::Refuse)
    return leftBefore(folder, "has event files", "folder", options.names);
  for (const std::string &path : others)
    if (::unlink(path.c_str()) != 0 && errno != ENOENT)
      return systemError(fmt::format("cannot remove '{}'", path));
  return Status::ok();
}

StatusOr<std::vector<RecordFile>>
weir::openEventFiles(const StepReportOptions &options, const ReportedRun &run) {
  WEIR_RETURN_IF_ERROR(checkPath(options.eventFolder));
  NewFiles made;
  if (Status status = makeFiles(options, run, made); !status.isOk()) {
    made.remove();
    return status;
  }
  return std::move(made.files);
}
