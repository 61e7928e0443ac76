//===- ChangedFilesTest.cpp - Tests of files that change while in use -----===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "DataFixture.h"

#include "TestPaths.h"
#include "weir/Data/DataText.h"

#include <gmock/gmock.h>
#include <iterator>

using namespace weir;
using testing::HasSubstr;

namespace {
class ChangedFilesTest : public FolderTest,
                         public testing::WithParamInterface<const char *> {};
class ClassesTest : public FolderTest {};
} // namespace

// A file that shrinks behind the back of its reader is an error that names it.
// What is still there can be read.
TEST_P(ChangedFilesTest, ShrinkToAnError) {
  std::ifstream source(input(GetParam()), std::ios::binary);
  const std::string whole(std::istreambuf_iterator<char>(source), {});
  const std::string path = write("file", whole);
  const Dataset data = take(parseDataset(path));
  ASSERT_GT(data.size(), 0);
  std::filesystem::resize_file(path, 1);
  const std::string error = errorOf(data.read(0, data.size() - 1));
  EXPECT_THAT(error, HasSubstr("'" + path));
  EXPECT_THAT(error, HasSubstr("but had " + std::to_string(whole.size()) +
                               " bytes when it was opened"));
  write("other", whole);
  std::filesystem::copy_file(folder + "/other", path,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_TRUE(data.read(0, data.size() - 1).isOk());
}

INSTANTIATE_TEST_SUITE_P(Formats, ChangedFilesTest,
                         testing::Values("plain.npy", "stored.npz", "trees.csv",
                                         "array-i2-idx3"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::erase_if(name, [](char c) {
                             return !std::isalnum(
                                 static_cast<unsigned char>(c));
                           });
                           return name;
                         });

// Labels of other data have the numbers of the training data's classes, also if
// some classes are not among them.
TEST_F(ClassesTest, AreThoseOfTheTrainingData) {
  const std::string train = write("train.csv", "k\nowl\ncat\ndog\n");
  const std::string valid = write("valid.csv", "k\nowl\ndog\n");
  const std::string item = ":k:type=classes";
  const Dataset known = take(parseDataset("y=" + train + item));
  const ColumnClasses classes = {{"y", known.columns()[0].classes}};
  const Dataset other = take(parseDataset("y=" + valid + item, classes));
  EXPECT_EQ(other.columns()[0].classes,
            (std::vector<std::string>{"cat", "dog", "owl"}));
  EXPECT_EQ(row<int64_t>(other, "y", 0), std::vector<int64_t>{2});
  EXPECT_EQ(row<int64_t>(other, "y", 1), std::vector<int64_t>{1});
  write("valid.csv", "k\nowl\nbat\n");
  EXPECT_EQ(errorOf(parseDataset("y=" + valid + item, classes)),
            "'" + valid +
                "', line 3, column 0 ('k'): 'bat' is none of the classes "
                "'cat', 'dog', 'owl', which the training data or graph-run "
                "--classes gives");
}

// The same for folders of images.
TEST_F(ClassesTest, AreThoseOfTheTrainingFolder) {
  const std::string images = std::string(paths::images) + "/images";
  const Dataset known = take(parseDataset("y=" + images + ":label"));
  std::vector<std::string> names = known.columns()[0].classes;
  ASSERT_GT(names.size(), 1u);
  const std::string last = names.back();
  write(last + "/a.png", "");
  const Dataset other = take(parseDataset(
      "y=" + folder + ":label:size=2x2:channels=1", {{"y", names}}));
  EXPECT_EQ(row<int64_t>(other, "y", 0)[0],
            static_cast<int64_t>(names.size()) - 1);
  write("zebra/a.png", "");
  EXPECT_THAT(
      errorOf(parseDataset("y=" + folder + ":label:size=2x2:channels=1",
                           {{"y", names}})),
      HasSubstr("the folder '" + folder + "/zebra' is none of the classes '"));
}
