//===- KernelPlan.cpp - What a kernel keeps in memory -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Evaluations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/ScopeExit.h"

#include <algorithm>

using namespace mlir;
using namespace weir::kernels;

/// The cost of storing and loading an element, in simple operations.
static constexpr int64_t storeCost = 4;
static constexpr int64_t mostCost = 1000;
/// Lookups are few if there is at most one for this many elements.
static constexpr int64_t fewLookups = 16;

KernelPlan::KernelPlan(func::FuncOp function, ArrayRef<MemRefType> operands,
                       ArrayRef<MemRefType> results, const PlanRules &rules)
    : function(function), rules(rules) {
  addOperands(operands);
  addOwnStrides();
  partials = splitReductions(function, ownStrides, rules.splits);
  addConstants();
  addResults(results);
  addCosts();
  // The order is from results to operands. So all readers of a tensor are known
  // before the plan decides whether to store the tensor.
  Block &block = function.getBody().front();
  Evaluations evaluations;
  for (Operation &op : llvm::reverse(block.without_terminator()))
    decide(&op, evaluations);
  addCosts();
  for (const Assignment &each : llvm::reverse(evaluations.getAssignments()))
    if (getNumElements(each.getSource()) != 0)
      addNests(each);
  addPhases();
  share();
}

//===----------------------------------------------------------------------===//
// Homes
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> getStridesOf(MemRefType type) {
  // Without elements, no address is needed.
  if (type.getNumElements() == 0)
    return SmallVector<int64_t>(type.getRank(), 0);
  SmallVector<int64_t> strides;
  int64_t offset;
  LogicalResult known = type.getStridesAndOffset(strides, offset);
  assert(succeeded(known) && offset == 0 && "buffers have static strides");
  (void)known;
  return strides;
}

void KernelPlan::addOperands(ArrayRef<MemRefType> types) {
  for (auto [number, type] : llvm::enumerate(types))
    homes[function.getArgument(number)] = {
        Home::Kind::Operand, static_cast<unsigned>(number), getStridesOf(type)};
}

/// The operand that decides on the order of dims of the result of `op`. It has
/// the result's shape, is read at the result's indices, and is not row-major.
static OpOperand *
findFollowed(linalg::GenericOp op,
             const llvm::DenseMap<Value, SmallVector<int64_t>> &strides) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  ArrayRef<int64_t> shape = getShape(op->getResult(0));
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto known = strides.find(input->get());
    if (getShape(input->get()) == shape &&
        op.getMatchingIndexingMap(input) == map && known != strides.end() &&
        known->second != getRowMajorStrides(shape))
      return input;
  }
  return nullptr;
}

void KernelPlan::addOwnStrides() {
  for (auto &[operand, home] : homes)
    ownStrides[operand] = home.strides;
  for (Operation &op : function.getBody().front().without_terminator())
    for (Value result : op.getResults()) {
      if (!isa<RankedTensorType>(result.getType()))
        continue;
      auto generic = dyn_cast<linalg::GenericOp>(op);
      OpOperand *followed =
          generic ? findFollowed(generic, ownStrides) : nullptr;
      SmallVector<int64_t> strides = followed
                                         ? ownStrides[followed->get()]
                                         : getRowMajorStrides(getShape(result));
      ownStrides[result] = std::move(strides);
    }
}

/// Whether elements of `value` are read at computed indices.
static bool isLookedUp(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return isa<tensor::ExtractOp>(user);
  });
}

/// Gives a home to constants of several values, and to constants that are
/// looked up.
void KernelPlan::addConstants() {
  for (auto constant : function.getBody().front().getOps<arith::ConstantOp>())
    if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
        elements && !elements.empty() &&
        (!elements.isSplat() || isLookedUp(constant)))
      homes[constant] = {Home::Kind::Constant, 0,
                         getRowMajorStrides(getShape(constant))};
}

/// A copy of `value` by an additional op, so that the copy can have a home of
/// its own.
static Value copyAtEnd(Operation *exit, Value value) {
  OpBuilder builder(exit);
  auto type = cast<RankedTensorType>(value.getType());
  Value empty = tensor::EmptyOp::create(builder, exit->getLoc(),
                                        type.getShape(), type.getElementType());
  AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> kinds(type.getRank(),
                                         utils::IteratorType::parallel);
  auto copy = linalg::GenericOp::create(
      builder, exit->getLoc(), TypeRange(type), ValueRange(value),
      ValueRange(empty), ArrayRef<AffineMap>{map, map}, kinds,
      [](OpBuilder &body, Location at, ValueRange arguments) {
        linalg::YieldOp::create(body, at, arguments[0]);
      });
  return copy.getResult(0);
}

/// The tensor that is stored in the memory of result `value`: the result, or
/// the tensor of which it is a reshape. Changes `strides` from the strides of
/// the result to the strides of that tensor.
Value KernelPlan::findResultHome(Value value,
                                 SmallVectorImpl<int64_t> &strides) {
  Value source = getReshaped(value);
  if (source && source.getDefiningOp() && !homes.contains(source))
    if (auto moved =
            reshapeStrides(getShape(value), strides, getShape(source))) {
      strides.assign(moved->begin(), moved->end());
      return source;
    }
  return value;
}

void KernelPlan::addResults(ArrayRef<MemRefType> types) {
  Operation *exit = function.getBody().front().getTerminator();
  for (auto [number, type] : llvm::enumerate(types)) {
    SmallVector<int64_t> strides = getStridesOf(type);
    Value home = findResultHome(exit->getOperand(number), strides);
    Operation *op = home.getDefiningOp();
    if (!op || homes.contains(home) || op->hasTrait<OpTrait::ConstantLike>() ||
        getReshaped(home))
      home = copyAtEnd(exit, home);
    homes[home] = {Home::Kind::Result, static_cast<unsigned>(number), strides};
  }
}

std::optional<SmallVector<int64_t>> KernelPlan::getStrides(Value tensor,
                                                           Value &base) const {
  auto known = homes.find(tensor);
  if (known != homes.end()) {
    base = tensor;
    return known->second.strides;
  }
  base = getReshaped(tensor);
  if (!base || (known = homes.find(base)) == homes.end())
    return std::nullopt;
  return reshapeStrides(getShape(base), known->second.strides,
                        getShape(tensor));
}

LinearIndex KernelPlan::getAddress(ArrayRef<int64_t> strides,
                                   ArrayRef<LinearIndex> at) const {
  LinearIndex address;
  for (auto [index, stride] : llvm::zip(at, strides))
    address = address.plus(index.times(stride));
  return symbols.simplify(address);
}

LinearIndex KernelPlan::getAddress(const Access &access) const {
  Value base;
  return getAddress(*getStrides(access.tensor, base), access.indices);
}

void KernelPlan::layOutScratch() {
  for (auto &[tensor, home] : homes) {
    SmallVector<int64_t> shape(getShape(tensor));
    if (home.kind == Home::Kind::Scratch) {
      for (auto [d, block] : home.blocks)
        shape[d] = block.second;
      home.strides = getRowMajorStrides(shape);
      for (auto [d, block] : home.blocks) {
        if (block.second == 1)
          home.strides[d] = 0;
        home.origin = home.origin.plus(
            LinearIndex::ofSymbol(block.first).times(-home.strides[d]));
      }
    }
    home.extent = 1;
    for (auto [size, stride] : llvm::zip(shape, home.strides))
      home.extent += std::max<int64_t>(size - 1, 0) * stride;
  }
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

void KernelPlan::addCosts() {
  for (Operation &op : function.getBody().front().without_terminator()) {
    int64_t cost = getLocalCost(&op);
    for (Value operand : op.getOperands())
      cost += homes.contains(operand) ? 0 : costs.lookup(operand);
    // A reduction is never evaluated twice.
    auto generic = dyn_cast<linalg::GenericOp>(op);
    bool isStored = generic && isReduction(generic);
    for (Value result : op.getResults())
      costs[result] = isStored ? 0 : std::min(cost, mostCost);
  }
}

/// Whether `value` has so many inserted parts that its readers should not
/// select among them.
static bool hasManyParts(Value value) {
  size_t parts = 0;
  while (auto insert = value.getDefiningOp<tensor::InsertSliceOp>()) {
    if (++parts > KernelPlan::mostParts)
      return true;
    value = insert.getDest();
  }
  return false;
}

/// Whether it is better to store the elements of `op` than to evaluate them for
/// each reader.
bool KernelPlan::needsHome(Operation *op, Evaluations &evaluations) {
  Value value = op->getResult(0);
  const int64_t count = evaluations.count(value);
  int64_t elements = std::max<int64_t>(getNumElements(value), 1);
  // Vectors of elements at computed indices can be loaded only from memory. If
  // few such elements are read, they are computed instead.
  bool isLookedUpOften = isLookedUp(value) && count * fewLookups > elements;
  if (isLookedUpOften || hasManyParts(value))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (generic && !hasPlainResult(generic))
    return true;
  if (generic && isReduction(generic))
    return !evaluations.fuse(*this, generic);
  bool isReadOnce =
      evaluations.getNeeds(value).size() == 1 && count <= elements;
  int64_t cost = getCost(value);
  int64_t most = evaluations.isWindow(value) ? rules.windowCost : storeCost;
  return !isReadOnce && cost != 0 && cost * (count / elements - 1) > most;
}

void KernelPlan::decide(Operation *op, Evaluations &evaluations) {
  if (op->hasTrait<OpTrait::ConstantLike>() || isa<tensor::EmptyOp>(op))
    return;
  Value value = op->getResult(0);
  bool isHome = homes.contains(value);
  if (!isHome && evaluations.getNeeds(value).empty())
    return;
  bool isOnlyReshaped = getReshaped(value) && !isLookedUp(value);
  if (!isHome && (isOnlyReshaped || !needsHome(op, evaluations))) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic || !isReduction(generic))
      evaluations.expand(*this, value);
    return;
  }
  if (!isHome)
    homes[value] = {Home::Kind::Scratch, 0,
                    getRowMajorStrides(getShape(value))};
  addAssignments(value, evaluations);
}

//===----------------------------------------------------------------------===//
// Assignments
//===----------------------------------------------------------------------===//

/// Adds the assignments to `home`, the last one first. There is one for each
/// part that is inserted into `home`, and one for the other elements. Loops may
/// be unable to express which points contribute to an element. Then one
/// assignment stores the initial values, and the next one combines the points
/// with these values in memory.
void KernelPlan::addAssignments(Value home, Evaluations &evaluations) {
  using Kind = Assignment::Kind;
  Value rest = home;
  while (auto insert = rest.getDefiningOp<tensor::InsertSliceOp>()) {
    bool isPart = rest == home || (rest.hasOneUse() && !homes.contains(rest));
    if (!isPart || !isPlainInsert(insert))
      break;
    evaluations.add(*this,
                    {home, insert.getSource(), insert.getStaticOffsets()});
    rest = insert.getDest();
  }
  if (rest.getDefiningOp<tensor::EmptyOp>())
    return;
  auto generic = rest.getDefiningOp<linalg::GenericOp>();
  if (rest != home || !generic)
    return evaluations.add(*this, {home, rest});
  if (!hasPlainResult(generic)) {
    const bool scans = isScan(generic);
    evaluations.add(
        *this,
        {home, rest, {}, scans ? Kind::Scan : Kind::Accumulation, generic});
    if (!scans)
      evaluations.add(*this, {home, generic.getDpsInits()[0]});
    return;
  }
  const Assignment own(home, rest);
  evaluations.add(*this, isReduction(generic) ? own.fuse(generic) : own);
}
