//===- MapTest.cpp - What maps make of examples ---------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "DataFixture.h"

#include "weir/Data/Sources.h"

#include <cmath>
#include <limits>
#include <set>

using namespace weir;

namespace {
const std::vector<double> mean = {0.485, 0.456, 0.406};
const std::vector<double> deviation = {0.229, 0.224, 0.225};

Dataset maps() { return take(openNpz(input("maps.npz"))); }

/// Whether `steps` make of the column `from` the bits of the column `expected`,
/// which numpy computed.
void expectMap(std::string_view from, const std::vector<MapStep> &steps,
               std::string_view expected) {
  const Dataset data = maps();
  const Dataset mapped = take(data.map(from, steps));
  const size_t column = take(data.findColumn(from));
  const size_t wanted = take(data.findColumn(expected));
  EXPECT_EQ(mapped.columns()[column].type, data.columns()[wanted].type);
  EXPECT_EQ(mapped.columns()[column].dims, data.columns()[wanted].dims);
  for (int64_t i = 0; i < data.size(); ++i) {
    const HostTensor left = take(mapped.read(column, i));
    const HostTensor right = take(data.read(wanted, i));
    ASSERT_EQ(left.bytes().size(), right.bytes().size());
    EXPECT_EQ(std::memcmp(left.data(), right.data(), left.bytes().size()), 0)
        << from << " -> " << expected << ", example " << i;
  }
}

/// A dataset of one example in the column "x".
template <typename T>
Dataset one(DType type, std::vector<int64_t> dims, std::vector<T> values) {
  dims.insert(dims.begin(), 1);
  std::vector<NamedColumn> columns;
  columns.push_back({"x", take(HostTensor::of<T>(type, dims, values))});
  return take(Dataset::fromTensors(std::move(columns)));
}

std::string mapError(const Dataset &data, const std::vector<MapStep> &steps) {
  return errorOf(data.map("x", steps));
}

/// The images "x" of `data` as a loader gives them in an epoch.
std::vector<std::vector<uint8_t>> loaded(const Dataset &data,
                                         LoaderOptions options) {
  options.batchSize = 1;
  Loader loader = take(Loader::create(data, options));
  std::vector<std::vector<uint8_t>> images;
  while (auto batch = take(loader.next())) {
    const auto values = batch->tensors()[0].values<uint8_t>();
    images.push_back({values.begin(), values.end()});
  }
  return images;
}

/// `count` images of 2x3 pixels with the numbers 1 to 6.
Dataset smallImages(int64_t count) {
  HostTensor tensor = take(HostTensor::zeros(DType::U8, {count, 2, 3}));
  auto values = tensor.values<uint8_t>();
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<uint8_t>(1 + i % 6);
  std::vector<NamedColumn> columns;
  columns.push_back({"x", std::move(tensor)});
  return take(Dataset::fromTensors(std::move(columns)));
}
} // namespace

TEST(MapTest, AsNumpy) {
  expectMap("images", {ScaleStep{255}}, "scaled");
  expectMap("images", {CastStep{DType::F32}, ScaleStep{255}}, "scaled");
  expectMap("images", {ScaleStep{255}, NormaliseStep{mean, deviation}},
            "normal");
  expectMap("scaled", {NormaliseStep{mean, deviation}}, "normal");
  expectMap(
      "images",
      {ScaleStep{255}, NormaliseStep{mean, deviation}, ChannelsFirstStep{}},
      "planes");
  expectMap(
      "images",
      {ChannelsFirstStep{}, ScaleStep{255}, NormaliseStep{mean, deviation}},
      "planes");
  expectMap("images", {ScaleStep{255}, CastStep{DType::F16}}, "halves");
  expectMap("images", {CastStep{DType::F64}, ScaleStep{255}}, "wide");
  expectMap("shorts", {ScaleStep{50}}, "short_scaled");
}

// Steps see the elements in this machine's order of bytes, and 0 or 1 as bools.
TEST(MapTest, OfArraysThatAreStoredInOtherWays) {
  const std::vector<MapStep> half = {ScaleStep{2}};
  const Dataset plain = take(take(openNpy(input("plain.npy"))).map("x", half));
  const Dataset swapped =
      take(take(openNpy(input("swapped.npy"))).map("x", half));
  const Dataset fortran =
      take(take(openNpy(input("fortran.npy"))).map("x", half));
  const Dataset bools = take(take(openNpy(input("bools.npy"))).map("x", half));
  for (int64_t i = 0; i < 10; ++i) {
    EXPECT_EQ(row<float>(swapped, "x", i), row<float>(plain, "x", i));
    EXPECT_EQ(row<float>(fortran, "x", i)[5], (12 * i + 5) / 2.0f);
    EXPECT_EQ(row<float>(bools, "x", i)[0], i % 3 != 0 ? 0.5f : 0);
  }
}

// A map in two parts is the map of both, and leaves the first as it is.
TEST(MapTest, InParts) {
  const Dataset data = maps();
  const Dataset half = take(data.map("images", {ScaleStep{255}}));
  const Dataset whole =
      take(half.map("images", {NormaliseStep{mean, deviation}}));
  EXPECT_EQ(row<float>(whole, "images", 2), row<float>(data, "normal", 2));
  EXPECT_EQ(row<float>(half, "images", 2), row<float>(data, "scaled", 2));
}

TEST(MapTest, CastKeepsOrClamps) {
  const double inf = std::numeric_limits<double>::infinity();
  const Dataset data =
      one<double>(DType::F64, {5}, {1.9, -1.9, 300, -inf, NAN});
  EXPECT_EQ(row<uint8_t>(take(data.map("x", {CastStep{DType::U8}})), "x", 0),
            (std::vector<uint8_t>{1, 0, 255, 0, 0}));
  EXPECT_EQ(row<int8_t>(take(data.map("x", {CastStep{DType::I8}})), "x", 0),
            (std::vector<int8_t>{1, -1, 127, -128, 0}));
  const int64_t large = (int64_t{1} << 53) + 1;
  const Dataset wide = one<int64_t>(DType::I64, {3}, {large, -1, 7});
  EXPECT_EQ(row<uint64_t>(take(wide.map("x", {CastStep{DType::U64}})), "x", 0),
            (std::vector<uint64_t>{uint64_t(large), 0, 7}));
  EXPECT_EQ(row<int32_t>(take(wide.map("x", {CastStep{DType::I32}})), "x", 0),
            (std::vector<int32_t>{std::numeric_limits<int32_t>::max(), -1, 7}));
}

TEST(MapTest, OneHot) {
  const Dataset data = one<int64_t>(DType::I64, {2}, {2, 0});
  const Dataset hot = take(data.map("x", {OneHotStep{3}}));
  EXPECT_EQ(hot.columns()[0], (ColumnInfo{"x", DType::F32, {2, 3}, {}}));
  EXPECT_EQ(row<float>(hot, "x", 0), (std::vector<float>{0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(
      errorOf(take(data.map("x", {OneHotStep{2}})).read(0, 0)),
      "column 'x', row 0: one-hot:2 expects a class from 0 to 1, found 2; "
      "if it is a class, give one-hot more classes, or else mend the "
      "value");
  EXPECT_EQ(mapError(one<float>(DType::F32, {}, {1}), {OneHotStep{3}}),
            "column 'x': one-hot expects integers, found [] of f32; cast them "
            "to i64 first if they are whole numbers");
  EXPECT_EQ(mapError(data, {OneHotStep{0}}),
            "column 'x': one-hot expects at least 1 class, found 0");
}

TEST(MapTest, ReshapeAndChannels) {
  const Dataset data = one<uint8_t>(DType::U8, {6}, {1, 2, 3, 4, 5, 6});
  const Dataset image = take(data.map("x", {ReshapeStep{{1, 2, 3}}}));
  EXPECT_EQ(image.columns()[0].dims, (std::vector<int64_t>{1, 2, 3}));
  const Dataset planes = take(image.map("x", {ChannelsFirstStep{}}));
  EXPECT_EQ(planes.columns()[0].dims, (std::vector<int64_t>{3, 1, 2}));
  EXPECT_EQ(row<uint8_t>(planes, "x", 0),
            (std::vector<uint8_t>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(mapError(planes, {ChannelsFirstStep{}}),
            "column 'x': chw: the channels come first already");
  const Dataset grey =
      take(data.map("x", {ReshapeStep{{2, 3}}, ChannelsFirstStep{}}));
  EXPECT_EQ(grey.columns()[0].dims, (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(mapError(data, {ReshapeStep{{4}}}),
            "column 'x': reshape to [4] does not have as many elements as [6] "
            "of u8");
  EXPECT_EQ(mapError(data, {ChannelsFirstStep{}}),
            "column 'x': chw expects images [height, width] or with channels, "
            "found [6] of u8");
}

// Every part of the padded image is cut out, and no other.
TEST(MapTest, RandomCrop) {
  const Dataset data =
      take(smallImages(400).map("x", {RandomCropStep{2, 2, 1}}));
  const uint8_t padded[4][5] = {
      {0, 0, 0, 0, 0}, {0, 1, 2, 3, 0}, {0, 4, 5, 6, 0}, {0, 0, 0, 0, 0}};
  std::set<std::vector<uint8_t>> possible;
  for (int top = 0; top < 3; ++top)
    for (int left = 0; left < 4; ++left)
      possible.insert({padded[top][left], padded[top][left + 1],
                       padded[top + 1][left], padded[top + 1][left + 1]});
  const auto images = loaded(data, {});
  EXPECT_EQ(std::set(images.begin(), images.end()), possible);
  LoaderOptions still;
  still.augment = false;
  for (const auto &image : loaded(data, still))
    EXPECT_EQ(image, (std::vector<uint8_t>{1, 2, 4, 5}));
}

// Half of the images are mirrored; none if the loader does not augment.
TEST(MapTest, RandomFlip) {
  const Dataset data = take(smallImages(400).map("x", {RandomFlipStep{}}));
  int mirrored = 0;
  for (const auto &image : loaded(data, {})) {
    const bool isMirrored = image[0] == 3;
    EXPECT_EQ(image, isMirrored ? (std::vector<uint8_t>{3, 2, 1, 6, 5, 4})
                                : (std::vector<uint8_t>{1, 2, 3, 4, 5, 6}));
    mirrored += isMirrored;
  }
  EXPECT_GT(mirrored, 160);
  EXPECT_LT(mirrored, 240);
  LoaderOptions still;
  still.augment = false;
  for (const auto &image : loaded(data, still))
    EXPECT_EQ(image[0], 1);
}

// Two random steps choose apart from each other.
TEST(MapTest, CropThenFlip) {
  const std::vector<MapStep> crop = {RandomCropStep{2, 2, 1}};
  const auto cropped = loaded(take(smallImages(400).map("x", crop)), {});
  std::set<std::vector<uint8_t>> possible;
  for (const auto &image : cropped) {
    possible.insert(image);
    possible.insert({image[1], image[0], image[3], image[2]});
  }
  const auto images =
      loaded(take(smallImages(400).map("x", {crop[0], RandomFlipStep{}})), {});
  EXPECT_EQ(std::set(images.begin(), images.end()), possible);
}

// Channels stay together, or each plane is moved in the same way.
TEST(MapTest, CropAndFlipOfChannels) {
  const Dataset data = maps();
  const std::vector<MapStep> moves = {RandomCropStep{3, 4, 2},
                                      RandomFlipStep{}};
  std::vector<MapStep> after = moves, before = {ChannelsFirstStep{}};
  after.push_back(ChannelsFirstStep{});
  before.insert(before.end(), moves.begin(), moves.end());
  const Dataset left = take(data.map("images", after));
  const Dataset right = take(data.map("images", before));
  const std::vector<MapStep> planes = {IsChannelsFirstStep{}, moves[0],
                                       moves[1]};
  const Dataset third = take(
      take(data.map("images", {ChannelsFirstStep{}})).map("images", moves));
  for (int64_t i = 0; i < data.size(); ++i) {
    EXPECT_EQ(row<uint8_t>(left, "images", i),
              row<uint8_t>(right, "images", i));
    EXPECT_EQ(row<uint8_t>(left, "images", i),
              row<uint8_t>(third, "images", i));
  }
  EXPECT_EQ(take(data.map("planes", planes)).columns()[3].dims,
            (std::vector<int64_t>{3, 3, 4}));
}

// What is drawn follows from seed, epoch and row, not from order, threads or
// what else is in the map.
TEST(MapTest, DrawsFollowFromTheRow) {
  const Dataset data =
      take(smallImages(50).map("x", {RandomCropStep{2, 2, 1}}));
  LoaderOptions options;
  const auto images = loaded(data, options);
  options.threads = 3;
  EXPECT_EQ(loaded(data, options), images);
  const auto rest = loaded(take(data.skip(20)), options);
  EXPECT_TRUE(std::equal(rest.begin(), rest.end(), images.begin() + 20));
  options.seed = 1;
  EXPECT_NE(loaded(data, options), images);
  options.seed = 0;
  options.start = {1, 0};
  options.epochs = 2;
  EXPECT_NE(loaded(data, options), images);
}

TEST(MapTest, Custom) {
  CustomStep sum{DType::F64, {}, [](auto from, auto to) {
                   double total = 0;
                   for (std::byte value : from)
                     total += static_cast<double>(value);
                   storeFloat(DType::F64, to.data(), 0, total);
                   return total > 20 ? Status(StatusCode::DataLoss, "too large")
                                     : Status::ok();
                 }};
  EXPECT_EQ(
      row<double>(take(one<uint8_t>(DType::U8, {3}, {1, 2, 4}).map("x", {sum})),
                  "x", 0)[0],
      7);
  EXPECT_EQ(
      errorOf(take(one<uint8_t>(DType::U8, {3}, {9, 9, 9}).map("x", {sum}))
                  .read(0, 0)),
      "column 'x', row 0: too large");
}

TEST(MapTest, Errors) {
  const Dataset data = smallImages(1);
  EXPECT_EQ(mapError(data, {ScaleStep{0}}),
            "column 'x': scale expects a number other than 0, found 0");
  EXPECT_EQ(mapError(data, {NormaliseStep{{0, 0}, {1}}}),
            "column 'x': normalise expects 1 mean or one for each of the 1 "
            "channels of [2,3] of u8, found 2; if the channels come first, "
            "write chw-already before it");
  EXPECT_EQ(
      mapError(data, {NormaliseStep{{0}, {0}}}),
      "column 'x': normalise expects a finite deviation above 0, found 0");
  EXPECT_EQ(mapError(data, {NormaliseStep{{}, {1}}}).substr(0, 40),
            "column 'x': normalise expects 1 mean or ");
  EXPECT_EQ(mapError(data, {RandomCropStep{5, 3, 1}}),
            "column 'x': crop expects a part of at least 1x1 and at most 4x5, "
            "the image with its padding; found 5x3");
  EXPECT_EQ(mapError(data, {RandomCropStep{1, 1, -1}}),
            "column 'x': crop expects a padding of at least 0, found -1");
  EXPECT_EQ(mapError(data, {IsChannelsFirstStep{}}),
            "column 'x': chw-already expects [channels, height, width], found "
            "[2,3] of u8");
  EXPECT_EQ(mapError(data, {CustomStep{}}),
            "column 'x': a custom step expects a function");
  EXPECT_EQ(errorOf(data.map("y", {})),
            "the dataset has no column 'y'; it has 'x'");
}
