//===- ReportChecks.cpp - Whether reports can be written --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ReportChecks.h"

#include "CurveDrawing.h"
#include "EventFile.h"
#include "LogEnd.h"
#include "RecordFile.h"

#include "../TrainingOption.h"

#include "weir/Support/OutputFile.h"
#include "weir/Support/Printable.h"
#include "weir/Support/SystemError.h"

#include <cerrno>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace weir;

StatusOr<CurveKind> weir::curveKind(const std::string &path) {
  if (path.ends_with(".html"))
    return CurveKind::Page;
  if (!path.ends_with(".png"))
    return invalidArgument(fmt::format(
        "expected a file for a curve whose name ends in .html or .png, found "
        "'{}'",
        path));
  if (!hasImages())
    return unimplemented(fmt::format(
        "cannot write '{}': this build of Weir is without libpng; build it "
        "with libpng, or name an .html file",
        path));
  return CurveKind::Image;
}

/// 0 if files can be made in `folder`, else the error of the system.
static int whyNotIn(const std::filesystem::path &folder) {
  const char *path = folder.empty() ? "." : folder.c_str();
  struct stat info;
  if (::stat(path, &info) != 0)
    return errno;
  if (!S_ISDIR(info.st_mode))
    return ENOTDIR;
  return ::access(path, W_OK | X_OK) == 0 ? 0 : errno;
}

/// 0 if the file `path` can be written in place, else the error of the system.
static int whyNotInPlace(const std::string &path) {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode))
      return EISDIR;
    return ::access(path.c_str(), W_OK) == 0 ? 0 : errno;
  }
  return errno == ENOENT ? whyNotIn(std::filesystem::path(path).parent_path())
                         : errno;
}

using Existing = StepReportOptions::Existing;

Status weir::leftBefore(const std::string &path, std::string_view what,
                        std::string_view other, OptionNames names) {
  const std::string_view overwrite = nameOf(TrainingOption::Overwrite, names);
  return invalidArgument(fmt::format(
      "'{}' {} of an earlier run; go on with that run with {},{} or name "
      "another {}",
      path, what, nameOf(TrainingOption::Resume, names),
      overwrite.empty() ? "" : fmt::format(" replace it with {},", overwrite),
      other));
}

/// Checks that the log of a run that goes on after step `stepsBefore` can be
/// written.
static Status checkLog(const StepReportOptions &options, int64_t stepsBefore) {
  const std::string &path = options.log;
  WEIR_RETURN_IF_ERROR(checkPath(path));
  if (path == "-")
    return Status::ok();
  if (const int error = whyNotInPlace(path))
    return systemError(fmt::format("cannot write '{}'", path), error);
  WEIR_ASSIGN_OR_RETURN(const LogEnd end, findLogEnd(path, stepsBefore));
  return options.existing == Existing::Refuse && end.size > 0
             ? leftBefore(path, "is the log", "file", options.names)
             : Status::ok();
}

/// Checks that files can be made in the folder for events. If that folder does
/// not exist, checks that it can be made in the nearest folder that exists.
static Status checkEventFolder(const StepReportOptions &options) {
  const std::string &folder = options.eventFolder;
  WEIR_RETURN_IF_ERROR(checkPath(folder));
  if (options.existing == Existing::Refuse && !findEventFiles(folder).empty())
    return leftBefore(folder, "has event files", "folder", options.names);
  std::filesystem::path nearest = folder;
  int error = whyNotIn(nearest);
  while (error == ENOENT && nearest.has_relative_path()) {
    nearest = nearest.parent_path();
    error = whyNotIn(nearest);
  }
  return error == 0 ? Status::ok()
                    : systemError(fmt::format("cannot create files in the "
                                              "folder '{}'",
                                              folder),
                                  error);
}

Status weir::checkReports(const StepReportOptions &options,
                          int64_t stepsBefore) {
  if (options.stepsPerLine < 0)
    return invalidArgument(
        fmt::format("expected a number of steps for each line of progress from "
                    "0 on, found {}",
                    options.stepsPerLine));
  for (const std::string &path : options.curves) {
    WEIR_RETURN_IF_ERROR(curveKind(path).status());
    WEIR_RETURN_IF_ERROR(checkWritable(path));
  }
  if (!options.log.empty())
    WEIR_RETURN_IF_ERROR(checkLog(options, stepsBefore));
  return options.eventFolder.empty() ? Status::ok() : checkEventFolder(options);
}

StatusOr<std::string> weir::setLogAside(const std::string &path) {
  struct stat info;
  if (path.empty() || path == "-" || ::stat(path.c_str(), &info) != 0 ||
      !S_ISREG(info.st_mode) || info.st_size == 0)
    return std::string();
  WEIR_RETURN_IF_ERROR(checkUnlocked({&path, 1}));
  for (int number = 1;; ++number) {
    const std::string aside = fmt::format("{}.{}", path, number);
    // Unlike rename, link replaces nothing.
    if (::link(path.c_str(), aside.c_str()) == 0) {
      if (::unlink(path.c_str()) != 0)
        return systemError(fmt::format("cannot rename '{}'", printable(path)));
      return aside;
    }
    if (errno != EEXIST)
      return systemError(fmt::format("cannot rename '{}' to '{}'",
                                     printable(path), printable(aside)));
  }
}
