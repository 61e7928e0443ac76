//===- FilesTest.cpp - Mapping, writing and hashing files -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/ContentHash.h"
#include "weir/Support/HostTensor.h"
#include "weir/Support/MappedFile.h"
#include "weir/Support/OutputFile.h"
#include "weir/Support/RegularFile.h"
#include "weir/Support/TemporaryFolder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace weir;

namespace {
std::span<const std::byte> asBytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string contents(const std::string &path) {
  auto file = MappedFile::open(path);
  EXPECT_TRUE(file.isOk()) << file.status().message();
  return {reinterpret_cast<const char *>(file->bytes().data()),
          file->bytes().size()};
}

/// Moves from `source`, which is used afterwards on purpose.
template <typename T> T take(T &source) { return std::move(source); }

/// A folder of its own, which goes with its contents.
class FilesTest : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/weir-XXXXXX";
    folder = ::mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  size_t numFiles() const {
    auto files = std::filesystem::directory_iterator(folder);
    return std::distance(begin(files), end(files));
  }
  std::string folder;
};
} // namespace

// A file appears when it is committed, and replaces the older one whole.
TEST_F(FilesTest, appearWhole) {
  std::string path = folder + "/file";
  {
    auto file = OutputFile::create(path);
    ASSERT_TRUE(file.isOk());
    ASSERT_TRUE(file->write(asBytes("first")).isOk());
    EXPECT_FALSE(std::filesystem::exists(path));
    ASSERT_TRUE(file->commit().isOk());
  }
  EXPECT_EQ(contents(path), "first");
  ASSERT_TRUE(atomicWriteFile(path, asBytes("second")).isOk());
  EXPECT_EQ(contents(path), "second");
  EXPECT_EQ(numFiles(), 1u);
}

// A file that is given up leaves the older one and nothing else.
TEST_F(FilesTest, givenUpLeaveNothing) {
  std::string path = folder + "/file";
  ASSERT_TRUE(atomicWriteFile(path, asBytes("old")).isOk());
  {
    auto file = OutputFile::create(path);
    ASSERT_TRUE(file.isOk());
    ASSERT_TRUE(file->write(asBytes("new")).isOk());
  }
  EXPECT_EQ(contents(path), "old");
  EXPECT_EQ(numFiles(), 1u);
}

// While a private file is replaced, the new one is as private from the first
// moment on. Another thread looks at it all the time.
TEST_F(FilesTest, stayPrivateWhileTheyAreReplaced) {
  const std::string path = folder + "/file";
  ASSERT_TRUE(atomicWriteFile(path, asBytes("old")).isOk());
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  std::atomic<bool> isDone = false, wasOpen = false;
  std::thread observer([&] {
    while (!isDone)
      for (const auto &each : std::filesystem::directory_iterator(folder)) {
        struct stat info;
        if (::stat(each.path().c_str(), &info) == 0 && (info.st_mode & 077))
          wasOpen = true;
      }
  });
  for (int i = 0; i < 20000; ++i)
    ASSERT_TRUE(OutputFile::create(path).isOk());
  isDone = true;
  observer.join();
  EXPECT_FALSE(wasOpen);
}

// A file that is replaced keeps its permissions and, as far as that is allowed,
// its owner and its group. Another group never gets the rights of the old one.
TEST_F(FilesTest, keepTheirReaders) {
  const std::string path = folder + "/file";
  ASSERT_TRUE(atomicWriteFile(path, asBytes("old")).isOk());
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  constexpr gid_t other = 12345;
  const bool mayGive = ::chown(path.c_str(), 54321, other) == 0;
  ASSERT_TRUE(atomicWriteFile(path, asBytes("new")).isOk());
  struct stat info;
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
  if (mayGive) {
    EXPECT_EQ(info.st_uid, 54321u);
    EXPECT_EQ(info.st_gid, other);
  }
}

// A folder for temporary files is private under any mask, and leaves nothing.
TEST_F(FilesTest, areTemporaryInPrivateFolders) {
  const mode_t mask = ::umask(0);
  std::string path;
  {
    auto made = TemporaryFolder::make("weir-test");
    ::umask(mask);
    ASSERT_TRUE(made.isOk()) << made.status().message();
    const TemporaryFolder temporary = *std::move(made);
    path = temporary.path();
    struct stat info;
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700u);
    EXPECT_TRUE(
        atomicWriteFile(temporary.file("kernels.so"), asBytes("x")).isOk());
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

// Asking whether a path can be written changes nothing, and ends no pipe.
TEST_F(FilesTest, areAskedWhetherTheyCanBeWritten) {
  const std::string path = folder + "/file", pipe = folder + "/pipe";
  EXPECT_TRUE(checkWritable(path).isOk());
  EXPECT_EQ(numFiles(), 0u);
  ASSERT_TRUE(atomicWriteFile(path, asBytes("old")).isOk());
  EXPECT_TRUE(checkWritable(path).isOk());
  EXPECT_EQ(contents(path), "old");
  EXPECT_EQ(numFiles(), 1u);
  EXPECT_FALSE(checkWritable(folder).isOk());
  EXPECT_EQ(checkWritable(folder + "/no/file").message(),
            "cannot write '" + folder + "/no/file': no such file or directory");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_TRUE(checkWritable(pipe).isOk());
  // A pipe that had a writer says that there are none left.
  pollfd event = {reader, POLLIN, 0};
  EXPECT_EQ(::poll(&event, 1, 0), 0);
  ::close(reader);
  EXPECT_TRUE(checkWritable("/dev/null").isOk());
}

// Writing through a symbolic link keeps the link; a device is not replaced.
TEST_F(FilesTest, followLinksAndKeepDevices) {
  std::string path = folder + "/file", link = folder + "/link";
  ASSERT_TRUE(atomicWriteFile(path, asBytes("old")).isOk());
  std::filesystem::create_symlink("file", link);
  ASSERT_TRUE(atomicWriteFile(link, asBytes("new")).isOk());
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(contents(path), "new");
  EXPECT_TRUE(atomicWriteFile("/dev/null", asBytes("gone")).isOk());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

// A full disk and a folder are errors that name the path.
TEST_F(FilesTest, reportFailures) {
  Status full = atomicWriteFile("/dev/full", asBytes("text"));
  EXPECT_EQ(full.message(),
            "cannot write '/dev/full': no space left on device");
  Status isFolder = atomicWriteFile(folder, asBytes("text"));
  EXPECT_EQ(isFolder.message(),
            "cannot write '" + folder + "': is a directory");
  EXPECT_EQ(MappedFile::open(folder + "/none").status().message(),
            "cannot read '" + folder + "/none': no such file or directory");
}

// An empty file is no bytes.
TEST_F(FilesTest, mayBeEmpty) {
  std::string path = folder + "/empty";
  ASSERT_TRUE(atomicWriteFile(path, {}).isOk());
  EXPECT_EQ(contents(path), "");
}

// A file is read at any place, and says when it has become shorter.
TEST_F(FilesTest, regularFilesAreReadAnywhere) {
  const std::string path = folder + "/file";
  const std::string text = "0123456789";
  ASSERT_TRUE(atomicWriteFile(path, asBytes(text)).isOk());
  auto file = RegularFile::open(path);
  ASSERT_TRUE(file.isOk()) << file.status().message();
  EXPECT_EQ(file->size(), 10u);
  std::string part(4, ' ');
  ASSERT_TRUE(file->read(3, std::as_writable_bytes(std::span(part))).isOk());
  EXPECT_EQ(part, "3456");
  std::filesystem::resize_file(path, 5);
  const Status cut = file->read(3, std::as_writable_bytes(std::span(part)));
  EXPECT_EQ(cut.code(), StatusCode::DataLoss);
  EXPECT_NE(cut.message().find("ends at byte 5, but had 10 bytes"),
            std::string::npos)
      << cut.message();
  EXPECT_EQ(RegularFile::open(folder + "/none").status().code(),
            StatusCode::NotFound);
}

// The hashes are those that xxh128sum and `xxhsum -H3` print.
TEST_F(FilesTest, hashAsXxhsumDoes) {
  EXPECT_EQ(contentHash({}), "99aa06d3014798d86001c324468d497f");
  std::string path = folder + "/file";
  ASSERT_TRUE(atomicWriteFile(path, asBytes("weir")).isOk());
  EXPECT_EQ(*fileContentHash(path), "58611f8d7be1fe2c3921234764190df9");
  Checksum pieces;
  pieces.update(asBytes("we"));
  pieces.update(asBytes("ir"));
  EXPECT_EQ(pieces.value(), 0x09831dc741817118u);
}

// The system would cut the path off and use another file.
TEST_F(FilesTest, areNotCutOffAtNul) {
  ASSERT_TRUE(atomicWriteFile(folder + "/a", asBytes("kept")).isOk());
  const std::string path = folder + "/a" + std::string(1, '\0') + "b";
  const std::string refused =
      "the path '" + folder + "/a?b' has a NUL in it; leave that out";
  EXPECT_EQ(MappedFile::open(path).status().message(), refused);
  EXPECT_EQ(checkWritable(path).message(), refused);
  EXPECT_EQ(atomicWriteFile(path, asBytes("lost")).message(), refused);
  EXPECT_EQ(contents(folder + "/a"), "kept");
}

// A link stays one, whether its file exists or not.
TEST_F(FilesTest, areWrittenThroughLinks) {
  std::filesystem::create_directory(folder + "/far");
  std::filesystem::create_symlink("far/file", folder + "/near");
  std::filesystem::create_symlink("near", folder + "/link");
  for (std::string_view text : {"first", "second"}) {
    ASSERT_TRUE(atomicWriteFile(folder + "/link", asBytes(text)).isOk());
    EXPECT_EQ(contents(folder + "/far/file"), text);
    EXPECT_TRUE(std::filesystem::is_symlink(folder + "/link"));
    EXPECT_TRUE(std::filesystem::is_symlink(folder + "/near"));
  }
  std::filesystem::create_symlink("round", folder + "/round");
  EXPECT_EQ(atomicWriteFile(folder + "/round", asBytes("x")).message(),
            "cannot write '" + folder +
                "/round': too many levels of symbolic links");
}

// A tensor that was moved from has neither memory nor bytes.
TEST(HostTensorTest, movesItsBytes) {
  HostTensor tensor = *HostTensor::zeros(DType::F32, {});
  const void *data = tensor.data();
  HostTensor other = take(tensor);
  EXPECT_EQ(other.data(), data);
  EXPECT_EQ(other.bytes().size(), 4u);
  EXPECT_EQ(tensor.data(), nullptr);
  EXPECT_TRUE(tensor.bytes().empty());
  tensor = take(other);
  EXPECT_EQ(tensor.data(), data);
  EXPECT_EQ(tensor.bytes().size(), 4u);
  EXPECT_TRUE(other.values<float>().empty());
}

TEST(HostTensorTest, refusesUnknownTypes) {
  EXPECT_EQ(HostTensor::zeros(DType(50), {1}).status().message(),
            "there is no element type of number 50; expected one of the 13 of "
            "DType");
  EXPECT_EQ(toString(DType(50)), "unknown type");
  EXPECT_EQ(byteSize(DType(50)), 0u);
}

// The size of a tensor is checked before memory is asked for.
TEST(HostTensorTest, checksSizes) {
  EXPECT_EQ(*rowMajorBytes(DType::BF16, std::vector<int64_t>{3, 5}), 30u);
  EXPECT_EQ(*rowMajorBytes(DType::F64, {}), 8u);
  EXPECT_FALSE(HostTensor::zeros(DType::F32, {-1}).isOk());
  EXPECT_FALSE(
      HostTensor::zeros(DType::F32, {int64_t(1) << 62, 4, 1, 1}).isOk());
  EXPECT_FALSE(HostTensor::zeros(DType::F32, {0, int64_t(1) << 62}).isOk());
  // A limit in bytes holds for all element types alike.
  constexpr auto most = static_cast<int64_t>(maxTensorBytes);
  EXPECT_EQ(*rowMajorBytes(DType::U8, std::vector{most}), maxTensorBytes);
  EXPECT_EQ(*rowMajorBytes(DType::F64, std::vector{most / 8}), maxTensorBytes);
  EXPECT_FALSE(rowMajorBytes(DType::U8, std::vector{most + 1}).isOk());
  EXPECT_EQ(rowMajorBytes(DType::F64, std::vector{most / 8, int64_t{2}})
                .status()
                .message(),
            "a tensor of shape [17592186044416,2] and type f64 is larger than "
            "140737488355328 bytes; make its dims smaller");
  float two[] = {1, 2};
  EXPECT_FALSE(
      HostTensor::of(DType::F32, {3}, std::span<const float>(two)).isOk());
}

// Elements are not converted: those of another type are an error, and their
// bits are not reinterpreted.
TEST(HostTensorTest, refusesOtherElements) {
  const float floats[] = {1, 2};
  const uint16_t halves[] = {0x3c00, 0x4000};
  const int64_t wide[] = {1, 2};
  auto tensor = HostTensor::of(DType::I32, {2}, std::span<const float>(floats));
  ASSERT_FALSE(tensor.isOk());
  EXPECT_EQ(tensor.status().message(),
            "expected elements that are held as i32, found floats of 4 bytes; "
            "convert them, or make a tensor of their type");
  EXPECT_FALSE(
      HostTensor::of(DType::I32, {4}, std::span<const int64_t>(wide)).isOk());
  EXPECT_FALSE(
      HostTensor::of(DType::F64, {2}, std::span<const int64_t>(wide)).isOk());
  EXPECT_TRUE(
      HostTensor::of(DType::I64, {2}, std::span<const int64_t>(wide)).isOk());
  EXPECT_TRUE(HostTensor::of(DType::F16, {2}, std::span<const uint16_t>(halves))
                  .isOk());
}

// The bytes are aligned and stay where they are when the tensor moves.
TEST(HostTensorTest, ownsAlignedBytes) {
  auto zeros = HostTensor::zeros(DType::I32, {3, 7});
  ASSERT_TRUE(zeros.isOk());
  const void *before = zeros->data();
  HostTensor moved = *std::move(zeros);
  EXPECT_EQ(moved.data(), before);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(before) % 64, 0u);
  for (int value : moved.values<int>())
    EXPECT_EQ(value, 0);
}
