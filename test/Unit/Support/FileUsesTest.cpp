//===- FileUsesTest.cpp - Checks that a tool overwrites no input ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/FileUses.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace weir;

namespace {
class FileUsesTest : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/weir-XXXXXX";
    folder = ::mkdtemp(pattern.data());
    std::ofstream(path("there")) << "text";
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string path(const std::string &name) const {
    return folder + "/" + name;
  }
  std::string message() const { return std::string(uses.check().message()); }

  std::string folder;
  FileUses uses;
};
} // namespace

// Any number of readers, and separate files, are fine.
TEST_F(FileUsesTest, acceptsFilesOfTheirOwn) {
  uses.reads("the model", path("there"));
  uses.reads("--input x", path("there"));
  uses.replaces("--output y", path("new"));
  uses.replaces("--output z", path("other"));
  EXPECT_EQ(message(), "");
}

TEST_F(FileUsesTest, findsWhatIsReadAndWritten) {
  uses.reads("--input x", path("there"));
  uses.replaces("--output y", path("./there"));
  EXPECT_EQ(message(), "--output y would write over '" + path("./there") +
                           "', which is read as --input x; name another file "
                           "to write");
}

// A file that does not exist yet is found by its path, in any spelling.
TEST_F(FileUsesTest, findsTwoWriters) {
  std::filesystem::create_directory(path("sub"));
  uses.replaces("--output y", path("t"));
  uses.replaces("--profile", path("sub/../t"));
  EXPECT_EQ(message(), "--output y and --profile would both write '" +
                           path("t") + "'; name another file for one of them");
}

// Links are followed.
TEST_F(FileUsesTest, followsLinks) {
  std::filesystem::create_symlink(path("there"), path("link"));
  uses.reads("the model", path("there"));
  uses.replaces("--profile", path("link"));
  EXPECT_NE(message(), "");
}

// The repair is that of both uses, or the one that always helps.
TEST_F(FileUsesTest, saysTheRepair) {
  uses.replaces("a", path("t"), "rename it");
  uses.replaces("b", path("t"), "rename it");
  EXPECT_EQ(message(),
            "a and b would both write '" + path("t") + "'; rename it");
}

// Targets that are not regular files lose nothing.
TEST_F(FileUsesTest, acceptsDevices) {
  uses.reads("--input x", "/dev/null");
  uses.replaces("--output y", "/dev/null");
  uses.replaces("--profile", "/dev/null");
  EXPECT_EQ(message(), "");
}
