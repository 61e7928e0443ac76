//===- RecordWriter.cpp - Writes records beside the training --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "RecordWriter.h"

#include "weir/Runtime/Guarded.h"
#include "weir/Support/BlockedSignals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <system_error>

using namespace weir;

RecordWriter::RecordWriter(std::vector<RecordFile> files, size_t maxValues,
                           FailureFn onFailure)
    : files(std::move(files)), onFailure(std::move(onFailure)),
      maxValues(maxValues), slots(capacity), values(capacity * maxValues) {}

StatusOr<std::unique_ptr<RecordWriter>>
RecordWriter::start(std::vector<RecordFile> files, size_t maxValues,
                    FailureFn onFailure) {
  std::unique_ptr<RecordWriter> writer(
      new RecordWriter(std::move(files), maxValues, std::move(onFailure)));
  const BlockedSignals blocked;
  try {
    writer->thread = std::thread([self = writer.get()] { self->run(); });
  } catch (const std::system_error &error) {
    return resourceExhausted(fmt::format(
        "cannot start a thread that writes logs: {}; raise the limits of the "
        "process (ulimit -u)",
        error.what()));
  }
  return writer;
}

RecordWriter::~RecordWriter() {
  {
    const std::lock_guard lock(mutex);
    isEnding = true;
  }
  arrived.notify_one();
  hurry.notify_one();
  if (thread.joinable())
    thread.join();
}

void RecordWriter::add(const ReportRecord &record) {
  assert(record.values.size() <= maxValues && "more values than were declared");
  std::unique_lock lock(mutex);
  if (numAdded - numWritten == capacity) {
    ++numWaiting;
    hurry.notify_one();
    written.wait(lock, [&] { return numAdded - numWritten < capacity; });
    --numWaiting;
  }
  const size_t slot = numAdded % capacity;
  double *held = values.data() + slot * maxValues;
  std::copy(record.values.begin(), record.values.end(), held);
  slots[slot] = record;
  slots[slot].values = {held, record.values.size()};
  ++numAdded;
  lock.unlock();
  arrived.notify_one();
}

void RecordWriter::flush() {
  std::unique_lock lock(mutex);
  const uint64_t wanted = numAdded;
  ++numWaiting;
  hurry.notify_one();
  written.wait(lock, [&] { return numWritten >= wanted; });
  --numWaiting;
}

void RecordWriter::run() {
  std::unique_lock lock(mutex);
  while (true) {
    arrived.wait(lock, [&] { return numAdded > numWritten || isEnding; });
    if (numAdded == numWritten)
      return;
    const uint64_t begin = numWritten, end = numAdded;
    lock.unlock();
    writeRound(begin, end);
    lock.lock();
    numWritten = end;
    written.notify_all();
    hurry.wait_for(lock, pause, [&] { return numWaiting > 0 || isEnding; });
  }
}

void RecordWriter::writeRound(uint64_t begin, uint64_t end) {
  for (RecordFile &file : files) {
    if (!file.status().isOk())
      continue;
    Status status = guarded("a log", [&] {
      for (uint64_t i = begin; i < end; ++i)
        file.add(slots[i % capacity]);
      file.write();
      return file.status();
    });
    if (status.isOk())
      continue;
    file.fail(std::move(status));
    // If even the report fails, the end of the file shows what is missing.
    (void)guarded("the report of a log's error", [&] {
      onFailure(file.status(), slots[begin % capacity].step);
      return Status::ok();
    });
  }
}
