//===- RecordWriter.h - Writes records beside the training ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A write can take seconds while the disk is busy with a checkpoint, and a step
// must not wait for it. So a thread writes the files. The thread takes records
// from a ring of fixed size, and makes a pause after each round. To wake the
// thread after each short step would take time from the threads that compute.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_REPORTS_RECORDWRITER_H
#define WEIR_LIB_TRAINING_REPORTS_RECORDWRITER_H

#include "RecordFile.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace weir {

/// Appends records to files, on a thread of its own. Members are thread-safe.
class RecordWriter {
public:
  /// The number of records that may wait for the disk.
  static constexpr size_t capacity = 4096;
  /// The time between two rounds of writing. A process that is killed loses at
  /// most the records of this time. It loses no record that was added before a
  /// `flush`.
  static constexpr std::chrono::milliseconds pause{20};

  /// Called on the writer's thread when a file fails, once for each file. It
  /// gets the error and the number of the first step that the file lacks.
  using FailureFn = std::function<void(const Status &error, int64_t step)>;

  /// No record has more than `maxValues` values.
  static StatusOr<std::unique_ptr<RecordWriter>>
  start(std::vector<RecordFile> files, size_t maxValues, FailureFn onFailure);
  /// Writes all records and closes the files.
  ~RecordWriter();
  RecordWriter(const RecordWriter &) = delete;
  RecordWriter &operator=(const RecordWriter &) = delete;

  /// Copies `record`. Waits only while the ring is full.
  void add(const ReportRecord &record);
  /// Waits until the files have all records that were added.
  void flush();

private:
  RecordWriter(std::vector<RecordFile> files, size_t maxValues,
               FailureFn onFailure);
  void run();
  void writeRound(uint64_t begin, uint64_t end);

  std::vector<RecordFile> files;
  FailureFn onFailure;
  size_t maxValues;
  /// Record `n` is in slot `n % capacity`, and its values are in `values`.
  std::vector<ReportRecord> slots;
  std::vector<double> values;

  std::mutex mutex;
  /// The conditions for which the writer's thread waits: there is a record, or
  /// a pause must end at once.
  std::condition_variable arrived;
  std::condition_variable hurry;
  /// The condition for which other threads wait: a round of writing is done.
  std::condition_variable written;
  uint64_t numAdded = 0;
  uint64_t numWritten = 0;
  /// The number of threads that wait for the end of a round.
  uint64_t numWaiting = 0;
  bool isEnding = false;
  std::thread thread;
};

} // namespace weir

#endif // WEIR_LIB_TRAINING_REPORTS_RECORDWRITER_H
