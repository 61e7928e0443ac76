//===- DataTextTest.cpp - Datasets and maps on the command line -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "DataFixture.h"

#include "TestPaths.h"
#include "weir/Data/DataText.h"

using namespace weir;

namespace {
const std::string images = std::string(paths::images) + "/images";

std::vector<std::string> namesOf(const Dataset &data) {
  std::vector<std::string> names;
  for (const ColumnInfo &column : data.columns())
    names.push_back(column.name);
  return names;
}

using Names = std::vector<std::string>;
} // namespace

TEST(DataTextTest, Items) {
  const auto items = take(parseDataItems(
      "x=a/digits.npz:images,images/:size=32x24:channels=3,t.csv:a+b"));
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[0].name, "x");
  EXPECT_EQ(items[0].path, "a/digits.npz");
  EXPECT_EQ(items[0].part, "images");
  EXPECT_EQ(items[1].name, "");
  EXPECT_EQ(items[1].path, "images/");
  EXPECT_EQ(items[1].options,
            (decltype(items[1].options){{"size", "32x24"}, {"channels", "3"}}));
  EXPECT_EQ(items[2].part, "a+b");
  EXPECT_EQ(
      errorOf(parseDataItems("x=a.npz,")),
      "data '' expects [NAME=]FILE[:PART][:OPTION=VALUE...], for instance "
      "x=digits.npz:images");
  EXPECT_EQ(errorOf(parseDataItems("=a.npz")),
            "data '=a.npz' expects a name in front of the '='");
  EXPECT_EQ(errorOf(parseDataItems("a.csv:b:c")),
            "data 'a.csv:b:c': expected OPTION=VALUE, found 'c', since 'b' "
            "is the part that is read: columns of a CSV file are joined by "
            "'+', and an array is read as a whole, so write a part of it into "
            "a file of its own with numpy.save; names and paths cannot have a "
            "':'");
  EXPECT_EQ(errorOf(parseDataItems("a.csv::c")),
            "data 'a.csv::c': expected OPTION=VALUE, found ''; names and "
            "paths cannot have a ':', so rename the file or give it another "
            "name by a link");
  EXPECT_EQ(errorOf(parseDataItems("x=a.csv:0:3")),
            "data 'x=a.csv:0:3': expected OPTION=VALUE, found '3'; a range of "
            "columns has a '-' and contains the last one, such as 0-3");
  EXPECT_EQ(errorOf(parseDataItems("x=https://a.org/b.npy")),
            "data 'x=https://a.org/b.npy' is an address; expected a file or a "
            "folder, so download it first");
  EXPECT_EQ(errorOf(parseDataset("x=-")),
            "cannot read '-': it is standard input, and examples are read in "
            "any order and again in each epoch; write it to a file first");
}

TEST(DataTextTest, Arrays) {
  EXPECT_EQ(namesOf(take(parseDataset(input("stored.npz")))),
            (Names{"images", "labels"}));
  const Dataset both =
      take(parseDataset("x=" + input("stored.npz") +
                        ":images,y=" + input("deflated.npz") + ":labels"));
  EXPECT_EQ(namesOf(both), (Names{"x", "y"}));
  EXPECT_EQ(both.size(), 10);
  EXPECT_EQ(namesOf(take(parseDataset(input("stored.npz") + ":labels"))),
            (Names{"labels"}));
  for (const char *name : {"plain.npy", "array-u1-idx3", "digits-idx3.gz"}) {
    EXPECT_EQ(namesOf(take(parseDataset(input(name)))), (Names{"x"}));
    EXPECT_EQ(namesOf(take(parseDataset("a=" + input(name)))), (Names{"a"}));
  }
}

TEST(DataTextTest, Csv) {
  const Dataset trees =
      take(parseDataset("x=" + input("trees.csv") + ":width+3:header=yes,y=" +
                        input("trees.csv") + ":2:type=classes"));
  EXPECT_EQ(namesOf(trees), (Names{"x", "y"}));
  EXPECT_EQ(trees.columns()[0].dims, (std::vector<int64_t>{2}));
  EXPECT_EQ(trees.columns()[1].classes.size(), 3u);
  const Dataset counts =
      take(parseDataset("n=" + input("trees.csv") + ":count:type=i32"));
  EXPECT_EQ(counts.columns()[0].type, DType::I32);
  EXPECT_EQ(namesOf(take(parseDataset(input("numbers.csv")))),
            (Names{"c0", "c1", "c2", "c3"}));
  EXPECT_EQ(
      take(parseDataset(input("numbers.csv") + ":0:separator=comma:header=no"))
          .size(),
      5);
}

TEST(DataTextTest, Images) {
  EXPECT_EQ(namesOf(take(parseDataset(images))), (Names{"image", "label"}));
  const Dataset data = take(parseDataset(
      "x=" + images + ":image:size=8x6:channels=3,y=" + images + ":label"));
  EXPECT_EQ(data.columns()[0].dims, (std::vector<int64_t>{8, 6, 3}));
  EXPECT_EQ(namesOf(data), (Names{"x", "y"}));
}

TEST(DataTextTest, Errors) {
  const std::string npz = input("stored.npz"), csv = input("trees.csv");
  const std::pair<std::string, std::string> cases[] = {
      {"x=" + npz, "'" + npz +
                       "' has the columns images, labels; say which 'x' "
                       "is, as in x=" +
                       npz + ":images"},
      {npz + ":size=3x3",
       "'" + npz + "' has no option 'size': a file of arrays takes none"},
      {csv + ":heder=yes", "'" + csv +
                               "': there is no option 'heder'; did you "
                               "mean 'header'? There are 'header', "
                               "'separator', 'type', 'size', 'channels'"},
      {csv + ":size=3x3", "'" + csv +
                              "' has no option 'size': a CSV file takes "
                              "header, separator, type"},
      {csv + ":header=maybe",
       "option header of '" + csv + "' expects yes or no; found 'maybe'"},
      {csv + ":header=yes:header=no",
       "option header of '" + csv + "' expects to be given once"},
      {csv + ":separator=;", "option separator of '" + csv +
                                 "' expects bar, comma, "
                                 "semicolon, tab or space; found ';'"},
      {csv + ":0:type=f31", "option type of '" + csv +
                                "' expects an element "
                                "type, such as i64, or classes; found 'f31'"},
      {csv + ":type=i64", "option type of '" + csv +
                              "' expects the columns "
                              "that it is for, as in y=" +
                              csv + ":4:type=i64"},
      {images + ":size=3", "option size of '" + images +
                               "' expects "
                               "HEIGHTxWIDTH, such as 224x224; found '3'"},
      {images + ":channels=2", "option channels of '" + images +
                                   "' expects 1 "
                                   "(grey), 3 (RGB) or 4 (RGBA); found '2'"},
      {images + ":labels", "'" + images +
                               "': the dataset has no column "
                               "'labels'; it has 'image', 'label'"},
      {input("plain.npy") + ":x",
       "'" + input("plain.npy") +
           "' has one array, "
           "so it has no part 'x'; leave the part away"},
      {"x=" + csv + ":0,1",
       "cannot read '1': no such file or directory; if it is a column of '" +
           csv + "', join the columns by '+', as in " + csv + ":0+1"},
      {"x=" + csv + ":0,1,2",
       "cannot read '1': no such file or directory; if it is a column of '" +
           csv + "', join the columns by '+', as in " + csv + ":0+1"},
      {"x=" + csv + ":0, y=" + csv + ":1",
       "data ' y=" + csv + ":1' begins with a blank; write none behind a ','"},
      {"/nowhere.csv", "cannot read '/nowhere.csv': no such file or directory"},
  };
  for (const auto &[text, message] : cases)
    EXPECT_EQ(errorOf(parseDataset(text)), message);
}

TEST(MapTextTest, Steps) {
  const ColumnMap map = take(parseColumnMap(
      "x=cast:f16,chw,chw-already,crop:3x4,crop:5x6:7,flip,"
      "normalise:1/-2.5:3e-1,one-hot:10,one-hot:4:i8,reshape:2x3,scale:255"));
  EXPECT_EQ(map.column, "x");
  ASSERT_EQ(map.steps.size(), 11u);
  EXPECT_EQ(std::get<CastStep>(map.steps[0]).type, DType::F16);
  EXPECT_TRUE(std::holds_alternative<ChannelsFirstStep>(map.steps[1]));
  EXPECT_TRUE(std::holds_alternative<IsChannelsFirstStep>(map.steps[2]));
  EXPECT_EQ(std::get<RandomCropStep>(map.steps[3]).width, 4);
  EXPECT_EQ(std::get<RandomCropStep>(map.steps[3]).padding, 0);
  EXPECT_EQ(std::get<RandomCropStep>(map.steps[4]).padding, 7);
  EXPECT_TRUE(std::holds_alternative<RandomFlipStep>(map.steps[5]));
  const auto &normalise = std::get<NormaliseStep>(map.steps[6]);
  EXPECT_EQ(normalise.mean, (std::vector<double>{1, -2.5}));
  EXPECT_EQ(normalise.deviation, (std::vector<double>{0.3}));
  EXPECT_EQ(std::get<OneHotStep>(map.steps[7]).type, DType::F32);
  EXPECT_EQ(std::get<OneHotStep>(map.steps[8]).type, DType::I8);
  EXPECT_EQ(std::get<ReshapeStep>(map.steps[9]).dims,
            (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(std::get<ScaleStep>(map.steps[10]).divisor, 255);
}

TEST(MapTextTest, Errors) {
  const std::pair<const char *, const char *> cases[] = {
      {"x", "map 'x' expects COLUMN=STEP[,STEP...], for instance "
            "x=scale:255,chw"},
      {"x=normalize:1:2",
       "map 'x=normalize:1:2': there is no step 'normalize'; "
       "there are 'cast', 'chw', 'chw-already', 'crop', 'flip', "
       "'normalise', 'one-hot', 'reshape', 'scale'"},
      {"x=scale", "map 'x=scale': step 'scale' expects scale:DIVISOR with a "
                  "finite number other than 0, such as scale:255"},
      {"x=scale:a", "map 'x=scale:a': step 'scale:a' expects scale:DIVISOR "
                    "with a finite number other than 0, such as scale:255"},
      {"x=scale:0", "map 'x=scale:0': step 'scale:0' expects scale:DIVISOR "
                    "with a finite number other than 0, such as scale:255"},
      {"x=normalise:0:0",
       "map 'x=normalise:0:0': step 'normalise:0:0' expects "
       "normalise:MEAN[/MEAN...]:DEVIATION[/DEVIATION...] with finite numbers "
       "and deviations above 0, such as normalise:0.13:0.31"},
      {"x=one-hot:0",
       "map 'x=one-hot:0': step 'one-hot:0' expects one-hot:CLASSES[:TYPE] "
       "with 1 class or more, such as one-hot:10"},
      {"x=crop:3", "map 'x=crop:3': step 'crop:3' expects "
                   "crop:HEIGHTxWIDTH[:PADDING] with sizes from 1 and a "
                   "padding from 0 up, such as crop:32x32:4"},
      {"x=cast:f31",
       "map 'x=cast:f31': step 'cast:f31' expects cast:TYPE "
       "with f32, f16, bf16, f64, i8, i16, i32, i64, u8, u16, u32, u64 or i1, "
       "such as cast:f32"},
      {"x=flip:2", "map 'x=flip:2': step 'flip:2' expects flip alone"},
      {"x=reshape:2x-3", "map 'x=reshape:2x-3': step 'reshape:2x-3' expects "
                         "reshape:DIMxDIM..., such as reshape:1x28x28"},
  };
  for (auto [text, message] : cases)
    EXPECT_EQ(errorOf(parseColumnMap(text)), message);
}
