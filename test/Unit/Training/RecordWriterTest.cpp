//===- RecordWriterTest.cpp - Writing files beside the steps ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Training/Reports/RecordWriter.h"
#include "weir/Support/MappedFile.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <new>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace weir;

namespace {
class LineFormat : public RecordFormat {
public:
  void append(std::string &out, const ReportRecord &record) override {
    out += std::to_string(record.step) + " " +
           std::to_string(static_cast<int>(record.values[0])) + "\n";
  }
};

std::string linesUpTo(int64_t last) {
  std::string lines;
  for (int64_t step = 1; step <= last; ++step)
    lines += std::to_string(step) + " " + std::to_string(step * 2) + "\n";
  return lines;
}

void addSteps(RecordWriter &writer, int64_t first, int64_t last) {
  for (int64_t step = first; step <= last; ++step) {
    const double value = static_cast<double>(step) * 2;
    writer.add({.step = step, .values = {&value, 1}});
  }
}

class RecordWriterTest : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/weir-XXXXXX";
    folder = ::mkdtemp(pattern.data());
    path = folder + "/file";
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  /// A writer to `files`.
  std::unique_ptr<RecordWriter> start(const std::vector<std::string> &names) {
    std::vector<RecordFile> files;
    for (const std::string &name : names) {
      auto file = RecordFile::open(name, RecordFile::Mode::Continue,
                                   std::make_unique<LineFormat>());
      EXPECT_TRUE(file.isOk()) << file.status().message();
      files.push_back(std::move(*file));
    }
    auto writer = RecordWriter::start(
        std::move(files), 1, [this](const Status &error, int64_t step) {
          failures.push_back(std::string(error.message()) + " from " +
                             std::to_string(step));
        });
    EXPECT_TRUE(writer.isOk());
    return std::move(*writer);
  }
  std::string contents() const {
    auto file = MappedFile::open(path);
    EXPECT_TRUE(file.isOk()) << file.status().message();
    return {reinterpret_cast<const char *>(file->bytes().data()),
            file->bytes().size()};
  }

  std::string folder;
  std::string path;
  std::vector<std::string> failures;
};
} // namespace

// After a flush, the file has all records; at the end it has all others.
TEST_F(RecordWriterTest, flushes) {
  auto writer = start({path});
  addSteps(*writer, 1, 3);
  writer->flush();
  EXPECT_EQ(contents(), linesUpTo(3));
  addSteps(*writer, 4, 5);
  writer.reset();
  EXPECT_EQ(contents(), linesUpTo(5));
}

// A record is in the file soon, without a flush.
TEST_F(RecordWriterTest, writesSoon) {
  auto writer = start({path});
  addSteps(*writer, 1, 1);
  for (int i = 0; i < 1000 && contents().empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(contents(), linesUpTo(1));
}

// Many more records than the ring holds arrive, in order, while the reader of a
// pipe is slow.
TEST_F(RecordWriterTest, waitsForSlowDisk) {
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] {
    const int fd = ::open(path.c_str(), O_RDONLY);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    char buffer[4096];
    for (ssize_t count; (count = ::read(fd, buffer, sizeof(buffer))) > 0;)
      received.append(buffer, static_cast<size_t>(count));
    ::close(fd);
  });
  auto writer = start({path});
  const int64_t last = 3 * static_cast<int64_t>(RecordWriter::capacity) + 7;
  addSteps(*writer, 1, last);
  writer.reset();
  reader.join();
  EXPECT_EQ(received, linesUpTo(last));
}

// A file that fails is reported once, and the others go on.
TEST_F(RecordWriterTest, fullDisk) {
  auto writer = start({"/dev/full", path});
  addSteps(*writer, 1, 2);
  writer->flush();
  addSteps(*writer, 3, 4);
  writer.reset();
  EXPECT_EQ(failures, std::vector<std::string>{
                          "cannot write '/dev/full': no space left on device "
                          "from 1"});
  EXPECT_EQ(contents(), linesUpTo(4));
}

// Memory that cannot be had ends that file, as a full disk does, not the
// process. So does a report of it that throws.
TEST_F(RecordWriterTest, endsWithoutMemory) {
  class Greedy : public LineFormat {
    void append(std::string &out, const ReportRecord &record) override {
      if (record.step == 2)
        throw std::bad_alloc();
      LineFormat::append(out, record);
    }
  };
  std::vector<RecordFile> files;
  files.push_back(std::move(*RecordFile::open(path, RecordFile::Mode::Continue,
                                              std::make_unique<Greedy>())));
  auto writer = std::move(*RecordWriter::start(
      std::move(files), 1, [this](const Status &error, int64_t step) {
        failures.push_back(std::string(error.message()) + " from " +
                           std::to_string(step));
        throw std::bad_alloc();
      }));
  addSteps(*writer, 1, 1);
  writer->flush();
  addSteps(*writer, 2, 3);
  writer.reset();
  EXPECT_EQ(failures,
            std::vector<std::string>{"out of memory in a log from 2"});
  EXPECT_EQ(contents(), linesUpTo(1));
}

// If only a part of the records fits on the disk, the file ends with a whole
// line.
TEST_F(RecordWriterTest, removesPart) {
  struct rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, SIG_IGN);
  auto writer = start({path});
  addSteps(*writer, 1, 2);
  writer->flush();
  struct rlimit small = before;
  small.rlim_cur = 10;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  addSteps(*writer, 3, 4);
  writer.reset();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(contents(), linesUpTo(2));
  EXPECT_EQ(failures, std::vector<std::string>{"cannot write '" + path +
                                               "': file too large from 3"});
}
