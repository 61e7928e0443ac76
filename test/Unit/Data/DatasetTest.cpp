//===- DatasetTest.cpp - Columns, parts and orders of datasets ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "DataFixture.h"
#include "Permutation.h"

#include "weir/Data/Sources.h"

#include <algorithm>
#include <map>

using namespace weir;

namespace {
std::vector<int64_t> orderOf(uint64_t seed, uint64_t epoch, int64_t count) {
  const Permutation order(seed, epoch, count);
  std::vector<int64_t> result;
  for (int64_t i = 0; i < count; ++i)
    result.push_back(order[i]);
  return result;
}
} // namespace

// The order is the same on every machine: these come from make-inputs.py, which
// writes the algorithm down a second time.
TEST(PermutationTest, FixedOrders) {
  using Order = std::vector<int64_t>;
  EXPECT_EQ(orderOf(0, 0, 10), (Order{9, 6, 2, 1, 5, 4, 0, 3, 8, 7}));
  EXPECT_EQ(orderOf(0, 1, 10), (Order{1, 2, 8, 5, 9, 3, 0, 7, 4, 6}));
  EXPECT_EQ(orderOf(1, 0, 10), (Order{2, 7, 9, 8, 3, 5, 4, 6, 1, 0}));
  EXPECT_EQ(orderOf(42, 5, 16),
            (Order{4, 7, 1, 12, 14, 15, 2, 10, 3, 11, 13, 9, 6, 8, 0, 5}));
  EXPECT_EQ(orderOf(3, 0, 1), (Order{0}));
  EXPECT_EQ(orderOf(3, 1, 2), (Order{1, 0}));
  const Dataset data = take(openNpz(input("orders.npz")));
  const std::pair<uint64_t, uint64_t> keys[] = {
      {0, 0}, {0, 1}, {7, 3}, {~uint64_t{0}, uint64_t{1} << 40}};
  for (size_t i = 0; i < std::size(keys); ++i) {
    Order expected;
    for (int64_t j = 0; j < data.size(); ++j)
      expected.push_back(row<int64_t>(data, "o" + std::to_string(i), j)[0]);
    EXPECT_EQ(orderOf(keys[i].first, keys[i].second, 1000), expected);
  }
}

TEST(PermutationTest, HasEachElementOnce) {
  for (int64_t count : {1, 2, 3, 4, 5, 63, 64, 65, 1000, 4096}) {
    std::vector<int64_t> order = orderOf(5, 2, count);
    std::sort(order.begin(), order.end());
    for (int64_t i = 0; i < count; ++i)
      ASSERT_EQ(order[i], i) << count;
  }
  // The largest counts need no memory.
  const int64_t large = int64_t{1} << 60;
  const Permutation order(1, 1, large);
  EXPECT_NE(order[0], order[large - 1]);
}

// All orders of a few elements are equally likely. With 719 degrees of freedom
// the sum is below 900 for all but one of 10^5 good generators.
TEST(PermutationTest, IsUniform) {
  constexpr int trials = 36000, numOrders = 720;
  std::map<std::vector<int64_t>, int> found;
  for (int seed = 0; seed < trials; ++seed)
    ++found[orderOf(seed, 1, 6)];
  EXPECT_EQ(found.size(), size_t{numOrders});
  double sum = 0;
  const double expected = double(trials) / numOrders;
  for (const auto &[order, times] : found)
    sum += (times - expected) * (times - expected) / expected;
  EXPECT_LT(sum, 900);
  EXPECT_GT(sum, 560);
}

// Neighbours before are no neighbours after, from epoch to epoch neither.
TEST(PermutationTest, SeedsAndEpochsDiffer) {
  const auto first = orderOf(1, 0, 1000);
  for (auto [seed, epoch] : {std::pair{1, 1}, {2, 0}, {0, 1}}) {
    const auto other = orderOf(seed, epoch, 1000);
    int equal = 0;
    for (size_t i = 0; i < 1000; ++i)
      equal += first[i] == other[i];
    EXPECT_LT(equal, 8);
  }
}

TEST(DatasetTest, TakeSkipSplit) {
  const Dataset data = numbers(10);
  EXPECT_EQ(allOf(take(data.take(3))), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(allOf(take(data.skip(8))), (std::vector<int64_t>{8, 9}));
  const auto [training, rest] = take(data.split(7));
  EXPECT_EQ(training.size(), 7);
  EXPECT_EQ(allOf(rest), (std::vector<int64_t>{7, 8, 9}));
  EXPECT_EQ(allOf(take(take(rest.skip(1)).take(1))), (std::vector<int64_t>{8}));
  EXPECT_EQ(take(data.take(0)).size(), 0);
  for (int64_t count : {-1, 11})
    EXPECT_EQ(errorOf(data.split(count)),
              "split expects from 0 to 10 examples, which the dataset has; "
              "found " +
                  std::to_string(count));
}

// Shuffled before the split, both parts have examples of all classes, and none
// is in both.
TEST(DatasetTest, ShuffledThenSplit) {
  const auto [training, rest] = take(numbers(100).shuffled(3).split(80));
  std::vector<int64_t> all = allOf(training);
  EXPECT_GT(*std::max_element(all.begin(), all.end()), 80);
  const std::vector<int64_t> others = allOf(rest);
  all.insert(all.end(), others.begin(), others.end());
  EXPECT_FALSE(std::is_sorted(all.begin(), all.end()));
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, allOf(numbers(100)));
  EXPECT_NE(allOf(numbers(100).shuffled(3)), allOf(numbers(100).shuffled(4)));
  EXPECT_EQ(numbers(0).shuffled(1).size(), 0);
}

TEST(DatasetTest, Columns) {
  const Dataset x = numbers(3);
  const Dataset both = take(Dataset::join({x, take(x.rename("x", "y"))}));
  EXPECT_EQ(both.columns().size(), 2u);
  EXPECT_EQ(take(both.select({"y"})).columns()[0].name, "y");
  EXPECT_EQ(errorOf(both.select({"z"})),
            "the dataset has no column 'z'; it has 'x', 'y'");
  EXPECT_EQ(errorOf(Dataset::join({x, x})),
            "two columns are called 'x'; rename one of them");
  EXPECT_EQ(errorOf(Dataset::join({x, take(numbers(4).rename("x", "y"))})),
            "column 'x' has 3 examples, but column 'y' has 4; expected equally "
            "many");
  EXPECT_EQ(errorOf(Dataset::join({})),
            "a dataset expects at least one column");
  EXPECT_EQ(errorOf(x.read(0, 3)),
            "expected a column below 1 and an example below 3, found 0 and 3");
}
