//===- Attention.cpp - ONNX's ops of transformers ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"
#include "LinearAttention.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"

#include <cmath>

using namespace weir;
using namespace weir::onnx;

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

namespace {
/// An attention layer. It weights the values by the scaled dot products of the
/// queries with the keys.
class AttentionLayer {
public:
  explicit AttentionLayer(NodeBuilder &node) : node(node) {}
  Results run();

private:
  bool readHeads();
  void addPast();
  Tensor splitHeads(size_t input, int64_t heads);
  Tensor groupQueries(Tensor x);
  Tensor allowedPlaces();
  Tensor readMask();
  Tensor makeBias();
  Tensor weigh(Tensor scores, Tensor bias);

  NodeBuilder &node;
  /// The inputs, with dims [batch, heads, steps, size].
  Tensor query, key, value;
  bool isFlat = false;
  int64_t batch = 0, numHeads = 0, numGroups = 0, numQueries = 0, numKeys = 0;
  /// The number of keys from earlier calls.
  int64_t numPast = 0;
};
} // namespace

/// Input `input` with dims [batch, heads, steps, size]. The model may also give
/// it with dims [batch, steps, heads * size].
Tensor AttentionLayer::splitHeads(size_t input, int64_t heads) {
  Tensor x = node.in(input);
  if (x.rank() != 3 || heads < 1 || x.dim(2) % heads != 0) {
    node.fail("expects {} to have 3 dims, of which the last is a multiple of "
              "{} heads; set 'q_num_heads' and 'kv_num_heads'",
              node.describeInput(input), heads);
    return {};
  }
  Tensor split = node.reshape(x, {x.dim(0), x.dim(1), heads, x.dim(2) / heads});
  return node.transpose(split, {0, 2, 1, 3});
}

bool AttentionLayer::readHeads() {
  int64_t queryHeads = node.intAttr("q_num_heads", 0);
  int64_t keyHeads = node.intAttr("kv_num_heads", 0);
  isFlat = node.in(0).rank() == 3;
  query = isFlat ? splitHeads(0, queryHeads) : node.in(0);
  key = isFlat ? splitHeads(1, keyHeads) : node.in(1);
  value = isFlat ? splitHeads(2, keyHeads) : node.in(2);
  if (!node.isOk())
    return false;
  numHeads = query.dim(1);
  numGroups = std::max<int64_t>(key.dim(1), 1);
  if (query.rank() != 4 || key.rank() != 4 || value.rank() != 4 ||
      query.dim(3) != key.dim(3) || key.dim(1) != value.dim(1) ||
      key.dim(2) != value.dim(2) || numHeads % numGroups != 0 ||
      key.dim(0) != query.dim(0) || value.dim(0) != query.dim(0))
    node.fail("expects queries, keys and values of one batch, keys of the size "
              "of queries, a value for each key, and a multiple of their heads "
              "for queries; found {}, {} and {}",
              node.describeInput(0), node.describeInput(1),
              node.describeInput(2));
  batch = query.dim(0);
  numQueries = query.dim(2);
  return node.isOk();
}

/// Prepends the keys and values of earlier calls.
void AttentionLayer::addPast() {
  if (node.has(4) != node.has(5))
    node.fail("expects past keys (input 4) and past values (input 5) together, "
              "found one of them");
  if (node.has(4) && node.has(6))
    node.fail("expects past keys (input 4) or the numbers of valid keys (input "
              "6), found both; leave one out");
  if (node.has(4) && node.isOk()) {
    numPast = node.in(4).dim(2);
    key = node.concat({node.in(4), key}, 2);
    value = node.concat({node.in(5), value}, 2);
  }
  numKeys = key.dim(2);
}

/// Reshapes [batch, heads, queries, size]. Several heads of queries may share
/// one head of keys. The queries of these heads become one matrix.
Tensor AttentionLayer::groupQueries(Tensor x) {
  return node.reshape(
      x, {batch, numGroups, numHeads / numGroups * numQueries, x.dim(3)});
}

/// Whether each query may see each key, according to their positions. The dims
/// are [queries, keys] or [batch, 1, queries, keys]. The result is a missing
/// tensor if all queries may see all keys.
Tensor AttentionLayer::allowedPlaces() {
  bool isCausal = node.intAttr("is_causal", 0) != 0;
  bool hasWindow = node.opset() >= 25;
  int64_t left = hasWindow ? node.intAttr("left_window_size", -1) : -1;
  int64_t right = hasWindow ? node.intAttr("right_window_size", -1) : -1;
  Tensor places = node.iota(numKeys, 1, 2), allowed;
  auto allow = [&](Tensor more) {
    allowed = allowed ? node.make<BitwiseAndOp>({allowed, more}) : more;
  };
  Tensor own = node.iota(numQueries, 0, 2) + static_cast<double>(numPast);
  if (node.has(6)) {
    Tensor valid =
        node.reshape(node.cast(node.in(6), node.i64()), {batch, 1, 1, 1});
    allow(node.make<LessOp>({places, valid}));
    own = own + (valid - static_cast<double>(numQueries));
  }
  if (isCausal)
    allow(node.make<LessEqualOp>({places, own}));
  // A window of all keys and queries hides nothing. So limiting the size to
  // theirs changes no result, and avoids overflow.
  auto limit = [&](int64_t size) {
    return static_cast<double>(std::min(size, numKeys + numQueries));
  };
  if (left >= 0)
    allow(node.make<GreaterEqualOp>({places, own - limit(left)}));
  if (right >= 0)
    allow(node.make<LessEqualOp>({places, own + limit(right)}));
  return allowed;
}

/// Reads the mask. If it has fewer entries than there are keys, queries do not
/// see the other keys. In opset 23, a mask with one entry applies to all keys.
Tensor AttentionLayer::readMask() {
  Tensor mask = node.in(3);
  const int64_t last = mask.rank() - 1, missing = numKeys - mask.dim(last);
  if (mask.rank() < 1 || missing <= 0 ||
      (node.opset() < 24 && mask.dim(last) == 1))
    return mask;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Ints pads(2 * mask.rank(), 0);
  pads.back() = missing;
  return node.make<PadOp>({mask},
                          {node.attr("pads", pads),
                           node.attr("value", mask.isBool() ? 0 : -infinity)});
}

/// The bias that is added to the products. It is -inf where a query must not
/// see a key. The result is a missing tensor if there is no bias.
Tensor AttentionLayer::makeBias() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  mlir::Type type = query.elementType();
  Tensor allowed = allowedPlaces();
  Tensor mask = node.has(3) ? readMask() : Tensor();
  if (mask.isBool()) {
    allowed = allowed ? node.make<BitwiseAndOp>({allowed, mask}) : mask;
    mask = {};
  }
  if (!allowed)
    return mask ? node.cast(mask, type) : mask;
  Tensor bias = node.make<WhereOp>(
      {allowed, node.scalar(0, type), node.scalar(-infinity, type)});
  return mask ? bias + node.cast(mask, type) : bias;
}

/// The weights of the keys. A query that sees no key has weights of 0.
Tensor AttentionLayer::weigh(Tensor scores, Tensor bias) {
  mlir::Type type = query.elementType();
  Tensor isBlind;
  if (bias) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    Tensor most = node.reduce<ReduceMaxOp>(bias, {bias.rank() - 1});
    isBlind = node.make<EqualOp>({most, node.scalar(-infinity, type)});
    scores = node.make<WhereOp>({isBlind, node.scalar(0, type), scores});
  }
  if (node.hasAttr("softmax_precision"))
    scores = node.cast(scores,
                       node.elementType(node.intAttr("softmax_precision", 0)));
  Tensor shares = node.cast(
      node.make<SoftmaxOp>({scores}, {node.attr("axis", int64_t(3))}), type);
  if (!isBlind)
    return shares;
  return node.make<WhereOp>({isBlind, node.scalar(0, type), shares});
}

Results AttentionLayer::run() {
  if (!readHeads())
    return {Tensor()};
  addPast();
  if (!node.isOk())
    return {Tensor()};
  double scale = node.floatAttr(
      "scale",
      1 / std::sqrt(static_cast<double>(std::max<int64_t>(query.dim(3), 1))));
  double cap = node.floatAttr("softcap", 0);
  int64_t mode = node.intAttr("qk_matmul_output_mode", 0);
  const Ints shape = {batch, numHeads, numQueries, numKeys};
  Tensor product =
      node.reshape(node.make<MatmulOp>({groupQueries(query * scale),
                                        node.transpose(key, {0, 1, 3, 2})}),
                   shape);
  Tensor capped = cap != 0 ? node.make<TanhOp>({product / cap}) * cap : product;
  Tensor bias = makeBias();
  Tensor scores = bias ? capped + bias : capped;
  Tensor shares = weigh(scores, bias);
  Tensor y = node.make<MatmulOp>(
      {groupQueries(shares), node.cast(value, query.elementType())});
  y = node.reshape(y, {batch, numHeads, numQueries, value.dim(3)});
  if (isFlat)
    y = node.reshape(node.transpose(y, {0, 2, 1, 3}),
                     {batch, numQueries, numHeads * value.dim(3)});
  const Tensor products[] = {product, capped, scores, shares};
  if (mode < 0 || mode >= std::ssize(products)) {
    node.fail("attribute 'qk_matmul_output_mode' is {}, expected 0 to 3", mode);
    return {Tensor()};
  }
  return {y, key, value, products[mode]};
}

static Results importAttention(NodeBuilder &node) {
  return AttentionLayer(node).run();
}

//===----------------------------------------------------------------------===//
// RotaryEmbedding
//===----------------------------------------------------------------------===//

/// The cosines or sines in input `i`, at the positions in input 3 if it is
/// given. The result has an additional dim `headsAt` of size 1, so that it
/// broadcasts along the heads.
static Tensor readAngles(NodeBuilder &node, size_t i, int64_t headsAt,
                         int64_t batch, int64_t steps, int64_t size) {
  Tensor angles = node.in(i);
  if (node.has(3))
    angles = node.make<GatherOp>({angles, node.in(3)},
                                 {node.attr("axis", int64_t(0))});
  if (angles.rank() != 3 || angles.dim(2) != size ||
      (angles.dim(1) != steps && angles.dim(1) != 1) ||
      (angles.dim(0) != batch && angles.dim(0) != 1)) {
    node.fail("expects {} to have {} numbers for each place, found {}{}",
              node.inputName(i), size, node.describeInput(i),
              node.has(3)
                  ? fmt::format(" at the places of {}", node.describeInput(3))
                  : "");
    return {};
  }
  Ints shape(angles.shape());
  shape.insert(shape.begin() + headsAt, 1);
  return node.reshape(angles, shape);
}

/// RotaryEmbedding: rotates the pairs of numbers in the first
/// `rotary_embedding_dim` elements of each head.
static Results importRotaryEmbedding(NodeBuilder &node) {
  Tensor x = node.in(0);
  const Ints given(x.shape());
  const int64_t heads = node.intAttr("num_heads", 0);
  const bool isFlat = x.rank() == 3;
  const bool isInterleaved = node.intAttr("interleaved", 0) != 0;
  if (isFlat && (heads < 1 || x.dim(2) % heads != 0))
    node.fail("expects a multiple of 'num_heads' ({}) in the last dim, found "
              "{}",
              heads, node.describeInput(0));
  else if (isFlat)
    x = node.reshape(x, {x.dim(0), x.dim(1), heads, x.dim(2) / heads});
  int64_t turned = node.intAttr("rotary_embedding_dim", 0);
  turned = turned == 0 ? x.dim(3) : turned;
  if (x.rank() != 4 || turned % 2 != 0 || turned < 0 || turned > x.dim(3))
    node.fail("expects heads of rank 4, of which an even number of elements is "
              "turned; found {} and {}",
              node.describeInput(0), turned);
  if (!node.isOk())
    return {Tensor()};
  const int64_t headsAt = isFlat ? 2 : 1, half = turned / 2;
  const int64_t batch = x.dim(0), steps = x.dim(isFlat ? 1 : 2);
  Tensor cosine = readAngles(node, 1, headsAt, batch, steps, half);
  Tensor sine = readAngles(node, 2, headsAt, batch, steps, half);
  Tensor first =
      isInterleaved ? node.slice(x, 3, 0, half, 2) : node.slice(x, 3, 0, half);
  Tensor second = isInterleaved ? node.slice(x, 3, 1, half, 2)
                                : node.slice(x, 3, half, half);
  llvm::SmallVector<Tensor> parts = {cosine * first - sine * second,
                                     sine * first + cosine * second};
  Ints shape(x.shape());
  shape.back() = turned;
  if (isInterleaved) {
    Ints column(parts[0].shape());
    column.push_back(1);
    for (Tensor &part : parts)
      part = node.reshape(part, column);
    parts = {node.reshape(node.concat(parts, 4), shape)};
  }
  if (turned < x.dim(3))
    parts.push_back(node.slice(x, 3, turned, x.dim(3) - turned));
  return {node.reshape(node.concat(parts, 3), given)};
}

//===----------------------------------------------------------------------===//
// TensorScatter
//===----------------------------------------------------------------------===//

/// For each row of a cache, the number of the update that replaces it, and
/// whether there is such an update. Both results have dims [batch, rows]. The
/// updates of all entries of the batch are numbered together.
static std::pair<Tensor, Tensor> placeUpdates(NodeBuilder &node, Tensor starts,
                                              int64_t batch, int64_t rows,
                                              int64_t updates) {
  Tensor at = node.iota(rows, 1, 2) - node.reshape(starts, {batch, 1});
  // In circular mode, rows before the start follow the last row.
  auto count = [&](double number) { return node.scalar(number, node.i64()); };
  if (node.textAttr("mode", "linear") == "circular")
    at = node.make<ModOp>({at, count(static_cast<double>(rows))});
  Tensor isUpdated = node.make<BitwiseAndOp>(
      {node.make<GreaterEqualOp>({at, count(0)}),
       node.make<LessOp>({at, count(static_cast<double>(updates))})});
  at = node.make<WhereOp>({isUpdated, at, count(0)});
  return {at + node.iota(batch, 0, 2) * static_cast<double>(updates),
          isUpdated};
}

/// Writes updates into the rows of a cache along `axis`. Each entry of the
/// batch has its own start.
static Results importTensorScatter(NodeBuilder &node) {
  Tensor cache = node.in(0), update = node.in(1);
  std::string_view mode = node.textAttr("mode", "linear");
  if (mode != "linear" && mode != "circular")
    node.fail("attribute 'mode' is '{}', expected linear or circular", mode);
  int64_t axis = node.axis(node.intAttr("axis", -2), cache.rank());
  Ints expected(cache.shape());
  if (update.rank() == cache.rank() && axis < cache.rank())
    expected[axis] = update.dim(axis);
  if (axis == 0 || update.shape() != llvm::ArrayRef(expected) ||
      update.dim(axis) > cache.dim(axis))
    node.fail("expects an update of the shape of the cache, with at most as "
              "many rows along an axis other than 0; found {} and {} with axis "
              "{}",
              node.describeInput(0), node.describeInput(1), axis);
  if (!node.isOk() || update.dim(axis) == 0)
    return {cache};
  int64_t batch = cache.dim(0), rows = cache.dim(axis);
  int64_t updates = update.dim(axis);
  Tensor starts = node.has(2) ? node.cast(node.in(2), node.i64())
                              : node.full({batch}, 0, node.i64());
  if (starts.rank() != 1 || starts.dim(0) != batch)
    node.fail("expects an index for each of {} entries of the batch, found {}",
              batch, node.describeInput(2));
  if (node.has(2) && mode == "linear")
    starts = node.checkedIndex(starts, rows - updates + 1);
  auto [places, isUpdated] = placeUpdates(node, starts, batch, rows, updates);
  Ints perm = {0, axis};
  for (int64_t i = 1; i < cache.rank(); ++i)
    if (i != axis)
      perm.push_back(i);
  Tensor moved = node.transpose(update, perm);
  Ints flat(moved.shape().drop_front(2)), back(perm.size());
  flat.insert(flat.begin(), batch * updates);
  Tensor picked = node.make<GatherOp>({node.reshape(moved, flat), places},
                                      {node.attr("axis", int64_t(0))});
  for (auto [i, from] : llvm::enumerate(perm))
    back[from] = static_cast<int64_t>(i);
  Ints mask(cache.rank(), 1);
  mask[0] = batch;
  mask[axis] = rows;
  return {node.make<WhereOp>(
      {node.reshape(isUpdated, mask), node.transpose(picked, back), cache})};
}

HandlerRows onnx::attentionRows() {
  static const HandlerRow rows[] = {
      {"Attention", 23, importAttention},
      {"CausalConvWithState", 27, importCausalConv},
      {"LinearAttention", 27, importLinearAttention},
      {"RotaryEmbedding", 23, importRotaryEmbedding},
      {"TensorScatter", 24, importTensorScatter},
  };
  return rows;
}
