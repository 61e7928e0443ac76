//===- DimRelationsTest.cpp - Dims of results against brute force ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// No result element may depend on an operand element that the analysis does not
// allow. What it allows must also be seen: by pairs of dims, where two kinds of
// dependence together cover more than the product of what each covers.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/Transforms/DimRelations.h"

#include "Perturbation.h"
#include "RandomBody.h"
#include "TestPaths.h"

#include "weir/Compiler/Registration.h"
#include "weir/Dialect/Weir/IR/WeirDialect.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/KernelChoice.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>

using namespace mlir;
using namespace weir;
using analysis::DimFactor;
using analysis::DimRelation;
using Kind = analysis::Factor::Kind;

namespace {

using Dependences = std::vector<std::vector<Dependence>>;

class DimRelationsTest : public ::testing::Test {
protected:
  DimRelationsTest() : context(makeRegistry()) {
    context.loadAllAvailableDialects();
  }

  OwningOpRef<ModuleOp> parse(const std::string &text) {
    return parseSourceString<ModuleOp>(text, &context);
  }

  /// The op of a function whose body is `text`, on %x and %y.
  WeirOpInterface parseOp(const std::string &arguments,
                          const std::string &text) {
    module =
        parse("func.func @main(" + arguments + ") {\n" + text + "\nreturn\n}");
    WeirOpInterface found;
    if (module)
      module->walk([&](WeirOpInterface op) { found = op; });
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;

private:
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerWeirDialects(registry);
    return registry;
  }
};

/// The kinds along the dims: "0=0 same, 1 reduced" relates dim 0 of both.
std::string spell(const std::vector<DimFactor> &factors) {
  static const char *const names[] = {"same",     "windowed", "reduced",
                                      "gathered", "opaque",   "repeated"};
  std::string text;
  for (const DimFactor &each : factors) {
    text += text.empty() ? "" : ", ";
    if (each.operandDim >= 0)
      text += std::to_string(each.operandDim);
    if (each.resultDim >= 0)
      text += "=" + std::to_string(each.resultDim);
    text += std::string(" ") + names[static_cast<int>(each.factor.kind)];
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Brute force
//===----------------------------------------------------------------------===//

Dependences listAllowed(const DimRelations &relations) {
  Dependences allowed;
  for (const auto &row : relations) {
    auto &made = allowed.emplace_back();
    for (const DimRelation &relation : row) {
      Dependence each{relation.resultElements, {}};
      for (int64_t o = 0; o < relation.operandElements; ++o)
        for (int64_t r = 0; r < relation.resultElements; ++r)
          each.seen.push_back(relation.allows(o, r));
      made.push_back(std::move(each));
    }
  }
  return allowed;
}

/// The pairs of positions along dim `d` of the operand and `e` of the result
/// that depend.
std::vector<bool> listPairs(const Dependence &dependence,
                            ArrayRef<int64_t> operand, size_t d,
                            ArrayRef<int64_t> result, size_t e) {
  const int64_t before = ShapedType::getNumElements(operand.drop_front(d + 1));
  const int64_t behind = ShapedType::getNumElements(result.drop_front(e + 1));
  std::vector<bool> pairs(static_cast<size_t>(operand[d] * result[e]));
  for (int64_t o = 0; o < ShapedType::getNumElements(operand); ++o)
    for (int64_t r = 0; r < dependence.resultElements; ++r)
      if (dependence.at(o, r))
        pairs[static_cast<size_t>(o / before % operand[d] * result[e] +
                                  r / behind % result[e])] = true;
  return pairs;
}

bool areEqualByDims(const Dependence &left, const Dependence &right,
                    ArrayRef<int64_t> operand, ArrayRef<int64_t> result) {
  if (left == right)
    return true;
  for (size_t d = 0; d < operand.size(); ++d)
    for (size_t e = 0; e < result.size(); ++e)
      if (listPairs(left, operand, d, result, e) !=
          listPairs(right, operand, d, result, e))
        return false;
  return !operand.empty() && !result.empty();
}

/// Enough draws to see what depends on values, unless more is allowed anyway.
constexpr int manyDraws = 150, fewDraws = 12;

enum class Verdict {
  /// The analysis forbids what was seen.
  Wrong,
  /// It allows more than was seen.
  Loose,
  /// Along each pair of dims it allows what was seen.
  Equal,
};

DimRelations relateArguments(func::FuncOp function) {
  return relateDims(function.front(), function.getArguments(),
                    function.front().getTerminator()->getOperands());
}

/// How the relations of `function` compare with what is seen in at most `draws`
/// draws. One verdict per result and argument, or none if it cannot be
/// evaluated.
std::vector<Verdict> judge(func::FuncOp function, unsigned seed, int draws) {
  Operation *end = function.front().getTerminator();
  Dependences allowed = listAllowed(relateArguments(function));
  Perturbation perturbation(function, seed);
  for (int draw = 0; draw < draws; ++draw) {
    if (!perturbation.probe(allowed))
      return {};
    if (perturbation.found == allowed)
      break;
  }
  std::vector<Verdict> verdicts;
  for (auto [result, seenRow, allowedRow] :
       llvm::zip(end->getOperands(), perturbation.found, allowed))
    for (auto [argument, seen, may] :
         llvm::zip(function.getArguments(), seenRow, allowedRow)) {
      bool isWrong = false;
      for (size_t i = 0; i < seen.seen.size(); ++i)
        isWrong |= seen.seen[i] && !may.seen[i];
      ArrayRef<int64_t> from = getTensorType(argument).getShape();
      ArrayRef<int64_t> to = getTensorType(result).getShape();
      verdicts.push_back(isWrong ? Verdict::Wrong
                         : areEqualByDims(seen, may, from, to)
                             ? Verdict::Equal
                             : Verdict::Loose);
    }
  return verdicts;
}

bool hasOpaque(func::FuncOp function) {
  for (const auto &row : relateArguments(function))
    for (const DimRelation &relation : row)
      for (const analysis::Factor &factor : relation.factors)
        if (factor.kind == Kind::Opaque)
          return true;
  return false;
}

std::string print(func::FuncOp function) {
  std::string text;
  llvm::raw_string_ostream(text) << function;
  return text;
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

} // namespace

// What a result lacks is reduced, what the operand lacks is repeated.
TEST_F(DimRelationsTest, Products) {
  WeirOpInterface op =
      parseOp("%x: tensor<2x4x3xf32>, %y: tensor<3x5xf32>",
              "%z = weir.matmul %x, %y : tensor<2x4x3xf32>, tensor<3x5xf32>");
  EXPECT_EQ(spell(splitAtDims(op, 0)),
            "0=0 same, 1=1 same, 2 reduced, =2 repeated");
  EXPECT_EQ(spell(splitAtDims(op, 1)),
            "0 reduced, 1=2 same, =0 repeated, =1 repeated");
}

// The groups of a convolution are one factor of its channels.
TEST_F(DimRelationsTest, Convolutions) {
  WeirOpInterface op = parseOp(
      "%x: tensor<2x4x9xf32>, %y: tensor<6x2x3xf32>",
      "%z = weir.conv %x, %y {groups = 2, strides = [2], dilations = [2], "
      "pads = [2, 0]} : tensor<2x4x9xf32>, tensor<6x2x3xf32>");
  std::vector<DimFactor> factors = splitAtDims(op, 0);
  EXPECT_EQ(spell(factors), "0=0 same, 1=1 same, 1 reduced, 2=2 windowed, "
                            "=1 repeated");
  EXPECT_EQ(factors[1].factor.operand.size, 2);
  EXPECT_EQ(factors[3].factor.operandScale, 1);
  EXPECT_EQ(factors[3].factor.resultScale, 2);
  EXPECT_EQ(factors[3].factor.taps, (analysis::Steps{-2, 3, 2}));
}

// Where a window is in the padding, its taps do not count. So the taps of the
// weight are a window of the positions; those that no position has count never.
TEST_F(DimRelationsTest, PaddedConvolutions) {
  WeirOpInterface op =
      parseOp("%x: tensor<2x2x4x1xf32>, %y: tensor<3x2x3x3xf32>",
              "%z = weir.conv %x, %y {strides = [2, 1], pads = [1, 1, 1, 1]} "
              ": tensor<2x2x4x1xf32>, tensor<3x2x3x3xf32>");
  std::vector<DimFactor> factors = splitAtDims(op, 1);
  EXPECT_EQ(spell(factors), "0=1 same, 1 reduced, 2=2 windowed, 3 reduced, "
                            "=0 repeated");
  EXPECT_EQ(factors[2].factor.operandScale, 1);
  EXPECT_EQ(factors[2].factor.resultScale, -2);
  EXPECT_EQ(factors[2].factor.taps, (analysis::Steps{1, 4, 1}));
  EXPECT_EQ(factors[3].factor.read, (analysis::Steps{1, 1, 1}));
}

// A window that is never in the padding alone relates no digits.
TEST_F(DimRelationsTest, UnpaddedConvolutions) {
  WeirOpInterface op =
      parseOp("%x: tensor<2x2x5xf32>, %y: tensor<3x2x3xf32>",
              "%z = weir.conv %x, %y : tensor<2x2x5xf32>, tensor<3x2x3xf32>");
  EXPECT_EQ(spell(splitAtDims(op, 1)),
            "0=1 same, 1 reduced, 2 reduced, =0 repeated, =2 repeated");
}

// The backward step of a stride relates fewer elements of the operand.
TEST_F(DimRelationsTest, TransposedConvolutions) {
  WeirOpInterface op =
      parseOp("%x: tensor<1x2x4xf32>, %y: tensor<2x3x3xf32>",
              "%z = weir.conv_transpose %x, %y {strides = [2]} "
              ": tensor<1x2x4xf32>, tensor<2x3x3xf32>");
  std::vector<DimFactor> factors = splitAtDims(op, 0);
  EXPECT_EQ(spell(factors), "1 reduced, 2=2 windowed, =1 repeated");
  EXPECT_EQ(factors[1].factor.operandScale, 2);
  EXPECT_EQ(factors[1].factor.resultScale, 1);
  EXPECT_EQ(factors[1].factor.taps, (analysis::Steps{-2, 3, 1}));
}

// A reshape divides and joins dims; where no size divides another, nothing is
// known of the dims, yet rows of one element are shared.
TEST_F(DimRelationsTest, Reshapes) {
  WeirOpInterface op =
      parseOp("%x: tensor<6x4xf32>",
              "%z = weir.reshape %x {shape = [2, 3, 4]} : tensor<6x4xf32>");
  EXPECT_EQ(spell(splitAtDims(op, 0)), "0=0 same, 0=1 same, 1=2 same");
  op = parseOp("%x: tensor<5x6x4xf32>",
               "%z = weir.reshape %x {shape = [5, 4, 6]} : tensor<5x6x4xf32>");
  EXPECT_EQ(spell(splitAtDims(op, 0)),
            "0=0 same, 1 opaque, 2 opaque, =1 repeated, =2 repeated");
  EXPECT_EQ(countSharedRows(op)[0], 120);
}

// The parts of a concat and a split are windows along the axis alone.
TEST_F(DimRelationsTest, Parts) {
  WeirOpInterface op = parseOp("%x: tensor<4x2xf32>, %y: tensor<4x3xf32>",
                               "%z = weir.concat %x, %y {axis = 1} "
                               ": tensor<4x2xf32>, tensor<4x3xf32>");
  std::vector<DimFactor> factors = splitAtDims(op, 1);
  EXPECT_EQ(spell(factors), "0=0 same, 1=1 windowed");
  EXPECT_EQ(factors[1].factor.taps, (analysis::Steps{-2, 1, 1}));
  EXPECT_EQ(factors[1].factor.reached, (analysis::Steps{2, 3, 1}));
}

// A part that begins at a multiple of its reshaped dims can be reshaped: a
// head of the keys is a head of what all heads are computed in.
TEST_F(DimRelationsTest, HeadsOfParts) {
  module = parse(R"(
    func.func @main(%x: tensor<5x24xf32>) -> tensor<4x5x2xf32> {
      %a = weir.slice %x {starts = [0, 8], sizes = [5, 8]} : tensor<5x24xf32>
      %b = weir.reshape %a {shape = [5, 4, 2]} : tensor<5x8xf32>
      %c = weir.transpose %b {perm = [1, 0, 2]} : tensor<5x4x2xf32>
      return %c : tensor<4x5x2xf32>
    })");
  ASSERT_TRUE(module);
  std::vector<DimFactor> factors = analysis::splitAtDims(
      relateArguments(*module->getOps<func::FuncOp>().begin())[0][0],
      std::vector<int64_t>{5, 24}, std::vector<int64_t>{4, 5, 2});
  EXPECT_EQ(spell(factors), "0=1 same, 1=0 windowed, 1=2 same");
  EXPECT_EQ(factors[1].factor.operand, (analysis::Digit{2, 12}));
  EXPECT_EQ(factors[1].factor.taps, (analysis::Steps{4, 1, 1}));
}

// Which element an index picks depends on values.
TEST_F(DimRelationsTest, Indices) {
  WeirOpInterface op = parseOp("%x: tensor<4x5xf32>, %y: tensor<2x3xi64>",
                               "%z = weir.gather %x, %y {axis = 1} "
                               ": tensor<4x5xf32>, tensor<2x3xi64>");
  EXPECT_EQ(spell(splitAtDims(op, 0)),
            "0=0 same, 1 gathered, =1 repeated, =2 repeated");
  EXPECT_EQ(spell(splitAtDims(op, 1)), "0=1 same, 1=2 same, =0 repeated");
}

// An index that is computed from the place of a batch and a number below its
// size reads that batch alone.
TEST_F(DimRelationsTest, IndicesIntoBatches) {
  WeirOpInterface op = parseOp("%x: tensor<2x3x4xf32>, %y: tensor<2x5x1xi32>",
                               "%z = weir.gather_nd %x, %y {batch_dims = 1} "
                               ": tensor<2x3x4xf32>, tensor<2x5x1xi32>");
  EXPECT_EQ(spell(splitAtDims(op, 0)),
            "0=0 same, 1 gathered, 2=2 same, =1 repeated");
  EXPECT_EQ(countSharedRows(op)[0], 2);
}

// Elements that only say which shape there is do not count.
TEST_F(DimRelationsTest, Positions) {
  WeirOpInterface op =
      parseOp("%x: tensor<4x5xf32>", "%z = weir.positions %x {axis = 1} "
                                     ": tensor<4x5xf32>");
  EXPECT_TRUE(relateDims(op)[0][0].isIndependent);
}

// The groups of a group norm are independent, their elements are not. Rows were
// once taken to be as many as elements.
TEST_F(DimRelationsTest, RowsOfGroupNorm) {
  WeirOpInterface op =
      parseOp("%x: tensor<2x4x3x3xf32>, %y: tensor<4xf32>",
              "%z = weir.group_norm %x, %y, %y {groups = 2} "
              ": tensor<2x4x3x3xf32>, tensor<4xf32>, tensor<4xf32>");
  EXPECT_EQ(spell(splitAtDims(op, 0)),
            "0=0 same, 1=1 same, 1 reduced, 2 reduced, 3 reduced, "
            "=1 repeated, =2 repeated, =3 repeated");
  EXPECT_EQ(countSharedRows(op)[0], 4);
}

// An update may reach any row.
TEST_F(DimRelationsTest, RowsOfScatter) {
  WeirOpInterface op =
      parseOp("%x: tensor<8x4xf32>, %y: tensor<8x1xi64>, %u: tensor<8x4xf32>",
              "%z = weir.scatter_nd %x, %y, %u {reduction = \"sum\"} "
              ": tensor<8x4xf32>, tensor<8x1xi64>, tensor<8x4xf32>");
  EXPECT_EQ(countSharedRows(op), (SmallVector<int64_t>{32, 1, 1}));
}

// A window over channels is no row of its own.
TEST_F(DimRelationsTest, RowsOfResponseNormalisation) {
  WeirOpInterface op =
      parseOp("%x: tensor<3x6x2x2xf32>", "%z = weir.lrn %x {size = 3} "
                                         ": tensor<3x6x2x2xf32>");
  EXPECT_EQ(spell(splitAtDims(op, 0)),
            "0=0 same, 1=1 windowed, 2=2 same, 3=3 same");
  EXPECT_EQ(countSharedRows(op)[0], 3);
}

// The first rows of a slice are those of its operand, but there are fewer.
// Fused with the slice, a layer norm of 128 rows once was one task.
TEST_F(DimRelationsTest, RowsOfSlice) {
  WeirOpInterface op =
      parseOp("%x: tensor<128x8xf32>", "%z = weir.slice %x {starts = [0, 0], "
                                       "sizes = [2, 8]} : tensor<128x8xf32>");
  EXPECT_EQ(spell(splitAtDims(op, 0)), "0=0 windowed, 1=1 same");
  EXPECT_EQ(countSharedRows(op)[0], 1);
}

// Nothing is known of an op that is no computing op but what it reads.
TEST_F(DimRelationsTest, UnknownOps) {
  module = parse(R"(
    func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %a = weir.copy %x from "cpu:0" to "cpu:1" : tensor<4xf32>
      return %a : tensor<4xf32>
    })");
  ASSERT_TRUE(module);
  auto function = *module->getOps<func::FuncOp>().begin();
  DimRelations relations = relateArguments(function);
  EXPECT_EQ(relations[0][0], analysis::makeOpaque(4, 4));
  EXPECT_TRUE(relations[0][1].isIndependent);
}

namespace {

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

/// The functions in the test of an op; empty if there is none.
std::string readCases(const std::filesystem::path &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path.string());
  if (!buffer)
    return "";
  StringRef text = (*buffer)->getBuffer();
  StringRef marker = "//--- cases.mlir";
  text = text.substr(text.find(marker) + marker.size());
  return text.substr(0, text.find("//---")).str();
}

bool isSmall(func::FuncOp function) {
  int64_t elements = 0;
  auto isKnown = [&](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    if (tensor.getElementType().isF16() || tensor.getElementType().isBF16() ||
        !tensor.hasStaticShape())
      return false;
    elements += tensor.getNumElements();
    return true;
  };
  return llvm::all_of(function.getArgumentTypes(), isKnown) &&
         llvm::all_of(function.getResultTypes(), isKnown) && elements <= 300;
}

} // namespace

/// The records of which the analysis allows more than is seen.
const std::map<std::string, std::string> looseRecords = {
    {"dropout", "an element is dropped at each of the steps that are drawn"},
    {"pack", "the places of the parts are no product of dims"},
    {"tril", "the expression compares positions"},
    {"triu", "the expression compares positions"},
};

// Up to four small cases from the test of each record.
TEST_F(DimRelationsTest, EveryRecordEqualsBruteForce) {
  std::set<std::string> met, loose;
  for (RegisteredOperationName op : context.getRegisteredOperations()) {
    if (!op.hasInterface<WeirOpInterface>())
      continue;
    const std::string name = op.stripDialect().str();
    std::filesystem::path path(paths::opTests);
    OwningOpRef<ModuleOp> cases = parse(readCases(path / (name + ".mlir")));
    ASSERT_TRUE(cases) << name;
    int numJudged = 0;
    for (auto function : cases->getOps<func::FuncOp>()) {
      if (!isSmall(function) || ++numJudged > 4)
        continue;
      std::vector<Verdict> verdicts =
          judge(function, 1, looseRecords.count(name) ? fewDraws : manyDraws);
      EXPECT_FALSE(verdicts.empty()) << print(function);
      for (Verdict verdict : verdicts) {
        EXPECT_NE(verdict, Verdict::Wrong) << print(function);
        if (verdict == Verdict::Loose)
          loose.insert(name);
      }
    }
    EXPECT_GT(numJudged, 0) << "no case of " << name << " is small";
  }
  std::set<std::string> expected;
  for (const auto &[name, why] : looseRecords)
    expected.insert(name);
  EXPECT_EQ(loose, expected);
}

// More is allowed only where a reshape divides a window, so that something is
// opaque. The list may neither grow nor shrink.
TEST_F(DimRelationsTest, RandomBodiesEqualBruteForce) {
  std::vector<unsigned> loose;
  for (unsigned seed = 0; seed < 500; ++seed) {
    OwningOpRef<ModuleOp> made = ModuleOp::create(UnknownLoc::get(&context));
    func::FuncOp function = makeRandomBody(*made, seed);
    std::vector<Verdict> verdicts =
        judge(function, seed, hasOpaque(function) ? fewDraws : manyDraws);
    EXPECT_FALSE(verdicts.empty()) << print(function);
    EXPECT_FALSE(llvm::is_contained(verdicts, Verdict::Wrong))
        << print(function);
    if (!llvm::is_contained(verdicts, Verdict::Loose))
      continue;
    loose.push_back(seed);
    EXPECT_TRUE(hasOpaque(function)) << print(function);
  }
  EXPECT_EQ(loose, (std::vector<unsigned>{0, 37, 78, 95, 102, 131, 141, 316,
                                          399, 414, 423}));
}
