//===- FormGroups.cpp - Puts ops that run as one kernel into groups -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/Clusters.h"
#include "weir/Dialect/Weir/IR/Annotation.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/MeaningMap.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace weir {
#define GEN_PASS_DEF_FORMGROUPS
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
/// Ops that become one group, in order. The group has the annotation of its
/// first op.
struct Group {
  SmallVector<WeirOpInterface> ops;
  /// The names of ops that would be in the group if they had its annotation.
  SmallVector<Attribute> split;
  /// The position in an order in which groups read only from earlier groups.
  int order = 0;

  WeirOpInterface last() { return ops.back(); }
};

class FormGroups : public weir::impl::FormGroupsBase<FormGroups> {
public:
  using FormGroupsBase::FormGroupsBase;

  void runOnOperation() override {
    known = {};
    if (failed(forEachEntry(getOperation(),
                            [&](func::FuncOp entry) { return formIn(entry); })))
      signalPassFailure();
  }

private:
  LogicalResult formIn(func::FuncOp entry) {
    if (failed(checkSizesKnown(entry)))
      return failure();
    groups.clear();
    numbers.clear();
    traits.clear();
    for (auto op : entry.getOps<WeirOpInterface>()) {
      numbers.insert({op, static_cast<int>(numbers.size())});
      traits.push_back(&known.get(op, findTraits));
    }
    formChains();
    formClusters();
    llvm::stable_sort(groups, [](const Group &left, const Group &right) {
      return left.order < right.order;
    });
    OpBuilder builder(entry.getBody().front().getTerminator());
    for (Group &group : groups)
      outline(group, builder);
    // A weir.keep computes nothing, so it can stand behind all groups.
    for (KeepOp keep : llvm::to_vector(entry.getOps<KeepOp>()))
      keep->moveBefore(entry.getBody().front().getTerminator());
    return success();
  }

  /// The most ops of a chain, its anchor included.
  static constexpr size_t maxOps = 16;

  /// The properties of an op that clustering needs.
  struct Traits {
    bool isView = false;
    /// Whether the op joins clusters; false for views.
    bool joins = false;
    bool combines = false;
    bool placesAnew = false;
    /// For each operand, the rows that it shares with the results.
    SmallVector<int64_t> rows;
  };
  static Traits findTraits(WeirOpInterface op);

  void findJoining();
  void formChains();
  Group growChain(WeirOpInterface anchor);
  bool isLaunchedBefore(Value value, WeirOpInterface anchor) const;
  void formClusters();
  analysis::ClusterNode describe(WeirOpInterface op, const Traits &facts);
  Group toGroup(const analysis::Cluster &cluster,
                ArrayRef<WeirOpInterface> ops);
  void outline(Group &group, OpBuilder &builder);
  void moveInto(GroupOp made, Group &group, ArrayRef<Value> inputs,
                ArrayRef<Value> results);

  /// The only reader of the first result of `op`; null if there is none, or if
  /// a group cannot contain the reader.
  WeirOpInterface getOnlyReader(WeirOpInterface op) {
    if (!op->getResult(0).hasOneUse())
      return {};
    return dyn_cast<WeirOpInterface>(*op->getResult(0).getUsers().begin());
  }

  /// Whether the group of `anchor` must be launched at the position of the
  /// anchor. This is so if other results of the anchor are read, because ops in
  /// front of the last epilogue may read them.
  static bool isPlacedAtAnchor(WeirOpInterface anchor) {
    return llvm::any_of(llvm::drop_begin(anchor->getResults()),
                        [](Value result) { return !result.use_empty(); });
  }

  MeaningMap<Traits> known;
  std::vector<Group> groups;
  /// The position of each op in the text.
  llvm::MapVector<Operation *, int> numbers;
  /// The traits of the op at each position.
  SmallVector<const Traits *> traits;
  llvm::DenseSet<Operation *> joining;
  /// For each op of a chain, the position at which the chain is launched.
  llvm::DenseMap<Operation *, int> launchedAt;
};
} // namespace

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

FormGroups::Traits FormGroups::findTraits(WeirOpInterface op) {
  Traits found;
  found.isView = weir::isView(op);
  if (!found.isView)
    found.joins = joinsClusters(op);
  found.combines = combinesElements(op);
  found.placesAnew = placesElementsAnew(op);
  found.rows = countSharedRows(op);
  return found;
}

/// Finds the ops that should be part of a cluster. A view belongs to the op
/// whose result it views, because a view computes nothing.
void FormGroups::findJoining() {
  joining.clear();
  for (auto [raw, number] : numbers) {
    auto op = cast<WeirOpInterface>(raw);
    bool isView = !op.getOpRecord().isRelayout() && traits[number]->isView;
    bool joins =
        isView
            ? llvm::any_of(op->getOperands(),
                           [&](Value operand) {
                             return joining.contains(operand.getDefiningOp());
                           })
            : traits[number]->joins;
    if (joins)
      joining.insert(op);
  }
}

/// Forms the groups that are not clusters. Each of these groups has one op and
/// its epilogues.
void FormGroups::formChains() {
  launchedAt.clear();
  findJoining();
  for (auto [raw, number] : numbers) {
    auto op = cast<WeirOpInterface>(raw);
    if (launchedAt.contains(op) || joining.contains(op))
      continue;
    Group group = growChain(op);
    group.order = numbers.lookup(isPlacedAtAnchor(op) ? op : group.last());
    for (WeirOpInterface member : group.ops)
      launchedAt[member] = group.order;
    groups.push_back(std::move(group));
  }
}

bool FormGroups::isLaunchedBefore(Value value, WeirOpInterface anchor) const {
  Operation *producer = value.getDefiningOp();
  auto number = numbers.find(producer);
  if (number == numbers.end())
    return true;
  // A cluster is launched at the position of its first op, and a chain at
  // `launchedAt`.
  auto chain = launchedAt.find(producer);
  return (chain == launchedAt.end() ? number->second : chain->second) <
         numbers.lookup(anchor);
}

Group FormGroups::growChain(WeirOpInterface anchor) {
  Group group;
  group.ops.push_back(anchor);
  bool takesEpilogues = acceptsEpilogues(anchor) && !isView(anchor);
  while (group.ops.size() < maxOps) {
    WeirOpInterface next = getOnlyReader(group.last());
    if (!next || launchedAt.contains(next))
      break;
    bool isNextView = isView(next) && group.last()->getNumResults() == 1;
    Value running = group.last()->getResult(0);
    bool isEpilogue = takesEpilogues && (asEpilogue(next, running) ||
                                         isCastEpilogue(next, anchor));
    if (!isNextView && !isEpilogue)
      break;
    if (isPlacedAtAnchor(anchor) &&
        !llvm::all_of(next->getOperands(), [&](Value operand) {
          return operand == running || isLaunchedBefore(operand, anchor);
        }))
      break;
    if (!Annotation::of(next).joins(Annotation::of(anchor))) {
      // Users did not write relayouts, so a split at a relayout is not
      // reported.
      if (!anchor.getOpRecord().isRelayout())
        group.split.push_back(
            StringAttr::get(&getContext(), weir::getOpName(next)));
      break;
    }
    group.ops.push_back(next);
    // After a view, the value has another shape than the kernel's result.
    takesEpilogues &= !isNextView;
  }
  return group;
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

/// Whether `op` is the only reader of its first operand, and reads few elements
/// of it at indices that another operand holds. False for a loss with labels,
/// which reads all elements.
static bool picksFewElements(WeirOpInterface op) {
  constexpr int64_t fewest = 16;
  auto countElements = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getNumElements();
  };
  const SmallVector<IndexOperand> indices = op.getIndexOperands();
  return !indices.empty() && !indices.front().ignored &&
         op->getOperand(0).hasOneUse() &&
         countElements(op->getResult(0)) * fewest <=
             countElements(op->getOperand(0));
}

analysis::ClusterNode FormGroups::describe(WeirOpInterface op,
                                           const Traits &facts) {
  analysis::ClusterNode node;
  for (OpOperand &operand : op->getOpOperands()) {
    auto producer = numbers.find(operand.get().getDefiningOp());
    if (producer != numbers.end())
      node.operands.push_back(
          {producer->second, facts.rows[operand.getOperandNumber()]});
  }
  auto chain = launchedAt.find(op);
  node.isGenerated = chain == launchedAt.end();
  if (node.isGenerated) {
    node.reduces = facts.combines;
    node.movesElements = facts.placesAnew;
    node.picksFew = picksFewElements(op);
  } else {
    node.launchedAt = chain->second;
  }
  for (Value result : op->getResults())
    node.elements += cast<RankedTensorType>(result.getType()).getNumElements();
  return node;
}

Group FormGroups::toGroup(const analysis::Cluster &cluster,
                          ArrayRef<WeirOpInterface> ops) {
  Group group;
  for (int node : cluster.nodes)
    group.ops.push_back(ops[node]);
  group.order = cluster.order;
  for (int node : cluster.split)
    group.split.push_back(
        StringAttr::get(&getContext(), weir::getOpName(ops[node])));
  return group;
}

void FormGroups::formClusters() {
  std::vector<analysis::ClusterNode> nodes;
  SmallVector<WeirOpInterface> ops;
  for (auto [op, number] : numbers) {
    ops.push_back(cast<WeirOpInterface>(op));
    nodes.push_back(describe(ops.back(), *traits[number]));
  }
  const auto joins = [&](int node, int first) {
    return Annotation::of(ops[node]).joins(Annotation::of(ops[first]));
  };
  for (const analysis::Cluster &cluster : analysis::formClusters(nodes, joins))
    groups.push_back(toGroup(cluster, ops));
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Moves the ops into a group at the insertion point of `builder`.
void FormGroups::outline(Group &group, OpBuilder &builder) {
  llvm::SetVector<Value> inputs;
  llvm::SmallPtrSet<Operation *, 16> members;
  for (WeirOpInterface op : group.ops)
    members.insert(op);
  SmallVector<Value> results;
  for (WeirOpInterface op : group.ops) {
    for (Value operand : op->getOperands())
      if (!members.contains(operand.getDefiningOp()))
        inputs.insert(operand);
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !members.contains(user);
          }))
        results.push_back(result);
  }
  // A group whose results nothing reads still runs, so it yields the results of
  // its last op.
  if (results.empty())
    llvm::append_range(results, group.last()->getResults());
  WeirOpInterface first = group.ops.front();
  auto made = GroupOp::create(
      builder, first->getLoc(), ValueRange(results).getTypes(),
      inputs.getArrayRef(), first.getDeviceAttr(), first.getStageAttr());
  if (!group.split.empty())
    made->setAttr(attrs::splitBy, builder.getArrayAttr(group.split));
  moveInto(made, group, inputs.getArrayRef(), results);
}

void FormGroups::moveInto(GroupOp made, Group &group, ArrayRef<Value> inputs,
                          ArrayRef<Value> results) {
  Block *block = new Block();
  made.getBody().push_back(block);
  llvm::DenseMap<Value, Value> arguments;
  for (Value input : inputs)
    arguments[input] = block->addArgument(input.getType(), input.getLoc());
  llvm::SmallPtrSet<Operation *, 16> members;
  for (WeirOpInterface op : group.ops)
    members.insert(op);
  for (auto [value, result] : llvm::zip(results, made.getResults()))
    Value(value).replaceUsesWithIf(result, [&](OpOperand &use) {
      return !members.contains(use.getOwner());
    });
  Location location = group.last()->getLoc();
  for (WeirOpInterface op : group.ops) {
    op->moveBefore(block, block->end());
    op.setDeviceAttr({});
    for (OpOperand &operand : op->getOpOperands())
      if (Value argument = arguments.lookup(operand.get()))
        operand.set(argument);
  }
  OpBuilder builder = OpBuilder::atBlockEnd(block);
  YieldOp::create(builder, location, results);
}
