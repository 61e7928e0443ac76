//===- GraphTest.cpp - Building, compiling and running in C++ -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Expected values are small enough to be checked by hand.
//
//===----------------------------------------------------------------------===//

#include "weir/Builder/Graph.h"
#include "weir/Runtime/Session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

using namespace weir;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

static HostTensor floats(std::vector<int64_t> dims, std::vector<float> values) {
  return *HostTensor::of<float>(DType::F32, std::move(dims), values);
}

static std::string textOf(const Graph &graph) {
  StatusOr<std::string> text = graph.text();
  return text.isOk() ? *text : "error: " + std::string(text.status().message());
}

/// A safetensors file of two tensors, as its format is described.
static void writeWeights(const std::string &path) {
  std::string header =
      R"({"layer.scale":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
      R"("shift":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}})";
  uint64_t size = header.size();
  float values[] = {2, 5, 10, 20};
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char *>(&size), sizeof(size));
  file << header;
  file.write(reinterpret_cast<const char *>(values), sizeof(values));
}

/// The artifact of `graph`; empty with a failure of the test after an error.
static std::vector<std::byte> compile(const Graph &graph,
                                      const CompileOptions &options = {}) {
  StatusOr<CompileResult> result = graph.compile("", options);
  EXPECT_TRUE(result.isOk()) << result.status().message();
  return result.isOk() ? std::move(result->artifact) : std::vector<std::byte>();
}

static std::unique_ptr<Session> load(const std::vector<std::byte> &bytes) {
  StatusOr<std::unique_ptr<Session>> session = Session::load(bytes);
  EXPECT_TRUE(session.isOk()) << session.status().message();
  return session.isOk() ? *std::move(session) : nullptr;
}

/// The elements of each output of one run, all f32.
template <typename... Tensors>
static std::vector<std::vector<float>> run(Session &session,
                                           Tensors... inputs) {
  std::array<HostTensor, sizeof...(inputs)> all{std::move(inputs)...};
  StatusOr<std::vector<HostTensor>> outputs = session.run(all);
  EXPECT_TRUE(outputs.isOk()) << outputs.status().message();
  std::vector<std::vector<float>> values;
  if (outputs.isOk())
    for (const HostTensor &output : *outputs)
      values.emplace_back(output.values<float>().begin(),
                          output.values<float>().end());
  return values;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

TEST(Graph, InfersTypes) {
  Graph graph;
  Value x = graph.input("x", DType::BF16, {-1, 3, 8, 8});
  Value w = graph.constant(*HostTensor::zeros(DType::BF16, {4, 3, 3, 3}));
  Value y = graph.conv(x, w, {}, {.strides = {2, 2}});
  EXPECT_EQ(y.type(), DType::BF16);
  EXPECT_THAT(y.dims(), ElementsAre(-1, 4, 3, 3));
  EXPECT_EQ(graph.less(y, y).type(), DType::I1);
  EXPECT_THAT(graph.scalar(1.0).dims(), ElementsAre());
  EXPECT_TRUE(graph.status().isOk());
}

// Names, devices and attributes are those of the text; what is left at its
// default is not written.
TEST(Graph, PrintsTextualIR) {
  Graph graph("net");
  Value x = graph.input("x", DType::F32, {1, 2});
  Value w = graph.parameter("w", floats({2, 2}, {1, 2, 3, 4}));
  Value hidden = graph.matmul(x, w).named("hidden").on("cpu:1");
  graph.output("probabilities", graph.softmax(hidden));
  graph.output("hidden", hidden);
  EXPECT_THAT(
      textOf(graph),
      AllOf(HasSubstr("weir.parameter @w : tensor<2x2xf32>"),
            HasSubstr("func.func @net(%x: tensor<1x2xf32>)"),
            HasSubstr("%w = weir.read @w : tensor<2x2xf32>"),
            HasSubstr("%hidden = weir.matmul %x, %w on \"cpu:1\" : "
                      "tensor<1x2xf32>, tensor<2x2xf32>"),
            HasSubstr("%softmax_0 = weir.softmax %hidden : tensor<1x2xf32>"),
            HasSubstr("weir.name = \"probabilities\""),
            HasSubstr("return %softmax_0, %hidden")));
}

// The innermost scope applies, and an op's own device overrides it.
TEST(Graph, PlacesOpsByScope) {
  Graph graph;
  Value x = graph.input("x", DType::F32, {2});
  {
    DeviceScope outer(graph, "cpu:1");
    graph.output("a", graph.relu(x));
    {
      DeviceScope inner(graph, "cpu:2");
      graph.output("b", graph.neg(x));
      graph.output("c", graph.exp(x).on("cpu:3"));
    }
    graph.output("d", graph.tanh(x));
  }
  graph.output("e", graph.abs(x));
  EXPECT_THAT(textOf(graph), AllOf(HasSubstr("weir.relu %x on \"cpu:1\""),
                                   HasSubstr("weir.neg %x on \"cpu:2\""),
                                   HasSubstr("weir.exp %x on \"cpu:3\""),
                                   HasSubstr("weir.tanh %x on \"cpu:1\""),
                                   HasSubstr("weir.abs %x :")));
}

// Ops without a name get one that no input has.
TEST(Graph, NamesTheRest) {
  Graph graph;
  Value x = graph.input("relu_0", DType::F32, {2});
  graph.output("y", graph.relu(x));
  EXPECT_THAT(textOf(graph), HasSubstr("%relu_1 = weir.relu %relu_0"));
}

// A graph is built on after it was compiled, and moves with its values.
TEST(Graph, CanBeBuiltOn) {
  Graph graph;
  Value y = graph.relu(graph.input("x", DType::F32, {2})).named("y");
  graph.output("y", y);
  EXPECT_THAT(textOf(graph), HasSubstr("return %y :"));
  Graph moved = std::move(graph);
  moved.output("z", moved.neg(y).named("z"));
  EXPECT_THAT(textOf(moved), HasSubstr("return %y, %z :"));
}

//===----------------------------------------------------------------------===//
// Compiling and running
//===----------------------------------------------------------------------===//

// relu(x w + b) on one device, the sum of its elements doubled on another.
TEST(Graph, RunsOnTwoDevices) {
  Graph graph;
  Value x = graph.input("x", DType::F32, {1, 2});
  Value w = graph.parameter("w", floats({2, 2}, {1, -1, 2, -2}));
  Value b = graph.parameter("b", floats({2}, {0.5, 1}));
  Value hidden;
  {
    DeviceScope first(graph, "cpu:0");
    hidden = graph.relu(graph.add(graph.matmul(x, w), b));
  }
  Value two = graph.constant(floats({2, 1}, {2, 2}));
  graph.output("y", graph.matmul(hidden, two).on("cpu:1"));
  graph.output("hidden", hidden);
  std::unique_ptr<Session> session = load(compile(graph));
  ASSERT_TRUE(session);
  EXPECT_EQ(session->inputs()[0].name, "x");
  EXPECT_EQ(session->outputs()[0].name, "y");
  EXPECT_EQ(session->outputs()[1].name, "hidden");
  EXPECT_EQ(session->stats().devices.size(), 2u);
  // 3*1 + 4*2 + 0.5 = 11.5; 3*-1 + 4*-2 + 1 < 0.
  EXPECT_THAT(run(*session, floats({1, 2}, {3, 4})),
              ElementsAre(ElementsAre(23), ElementsAre(11.5, 0)));
}

// Unknown dims are bound by the same option as graph-compile's.
TEST(Graph, BindsUnknownDims) {
  Graph graph;
  Value x = graph.input("x", DType::F32, {-1, 2});
  graph.output("y", graph.relu(x));
  CompileOptions options;
  options.shapes = {"x:2x2"};
  std::unique_ptr<Session> session = load(compile(graph, options));
  ASSERT_TRUE(session);
  EXPECT_THAT(run(*session, floats({2, 2}, {-1, 2, -3, 4})),
              ElementsAre(ElementsAre(0, 2, 0, 4)));
}

// A tensor of a file is read when the graph is compiled, under its key.
TEST(Graph, ReadsParametersFromFiles) {
  std::string path = testing::TempDir() + "builder-weights.safetensors";
  writeWeights(path);
  Graph graph;
  Value x = graph.input("x", DType::F32, {2});
  Value scale = graph.parameter("scale", TensorFile{path, "layer.scale"});
  Value shift = graph.parameter("shift", TensorFile{path, ""});
  graph.output("y", graph.add(graph.mul(x, scale), shift));
  std::unique_ptr<Session> session = load(compile(graph));
  std::filesystem::remove(path);
  ASSERT_TRUE(session);
  EXPECT_THAT(run(*session, floats({2}, {3, 4})),
              ElementsAre(ElementsAre(3 * 2 + 10, 4 * 5 + 20)));
}

// Random elements are those of their seed
// (test/Unit/Support/FillBytesTest.cpp).
TEST(Graph, MakesRandomParameters) {
  Graph graph;
  Value x = graph.input("x", DType::F32, {3});
  Value w = graph.parameter("w", DType::F32, {3}, UniformFill{7, -1.5, 2.5});
  graph.output("y", graph.mul(x, w));
  std::unique_ptr<Session> session = load(compile(graph));
  ASSERT_TRUE(session);
  EXPECT_THAT(
      run(*session, floats({3}, {1, 1, 1})),
      ElementsAre(ElementsAre(0x1.e5f0f22c99040p-5f, -0x1.6ecf0ca02f0e8p+0f,
                              0x1.0d30810175625p+1f)));
  Graph wrong;
  wrong.parameter("a", DType::I32, {3}, UniformFill());
  wrong.parameter("b", DType::F32, {-1}, UniformFill());
  EXPECT_THAT(std::string(wrong.status().message()),
              testing::AllOf(testing::HasSubstr("a float type"),
                             testing::HasSubstr("found one below 0")));
}

// The bound of He et al. for four inputs is sqrt(6 / 4).
TEST(Graph, MakesInitializedParameters) {
  Graph graph;
  Value x = graph.input("x", DType::F32, {2});
  const double bound = 1.2247448713915890;
  Value w = graph.parameter("w", DType::F32, {1, 4},
                            NamedOptions{"he_uniform", {{"seed", 7}}});
  Value same = graph.parameter("same", DType::F32, {1, 4},
                               UniformFill{7, -bound, bound});
  Value q = graph.parameter("q", DType::F64, {3, 2},
                            NamedOptions{"orthogonal", {{"gain", 2.0}}});
  Value product = graph.matmul(graph.transpose(q, {1, 0}), q);
  graph.output("difference", graph.sub(w, same));
  graph.output("product", graph.cast(product, DType::F32));
  graph.output("y", x);
  std::unique_ptr<Session> session = load(compile(graph));
  ASSERT_TRUE(session);
  const auto outputs = run(*session, floats({2}, {1, 1}));
  EXPECT_THAT(outputs[0], ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(outputs[1], testing::Pointwise(testing::FloatNear(1e-6f),
                                             std::vector<float>{4, 0, 0, 4}));
  Graph wrong;
  wrong.parameter("a", DType::F32, {3}, NamedOptions{"he_normal", {}});
  wrong.parameter("b", DType::F32, {3, 3}, NamedOptions{"he_norml", {}});
  wrong.parameter("c", DType::F32, {3}, NamedOptions{"normal", {{"sed", 1}}});
  EXPECT_THAT(
      std::string(wrong.status().message()),
      testing::AllOf(
          testing::HasSubstr("initialiser 'he_normal' expects a parameter of "
                             "at least two dims, found 1"),
          testing::HasSubstr("there is no initialiser 'he_norml'; did you "
                             "mean 'he_normal'?"),
          testing::HasSubstr("initialiser 'normal': has no 'sed'; did you "
                             "mean 'seed'?")));
}

// The loss is (w - 3)^2. Its gradient at 1 is -4, and at 1.4 is -3.2.
TEST(Graph, Minimizes) {
  Graph graph;
  Value x = graph.input("x", DType::F32, {1});
  Value w = graph.parameter("w", floats({1}, {1}));
  Value loss = graph.squaredError(w, x).named("loss");
  graph.minimize(loss, {.optimizer = {"sgd", {{"rate", 0.1}}}});
  graph.output("w", w);
  std::unique_ptr<Session> session = load(compile(graph));
  ASSERT_TRUE(session);
  EXPECT_THAT(run(*session, floats({1}, {3})), ElementsAre(ElementsAre(1)));
  EXPECT_THAT(run(*session, floats({1}, {3})), ElementsAre(ElementsAre(1.4f)));
  EXPECT_THAT(run(*session, floats({1}, {3})), ElementsAre(ElementsAre(1.72f)));
}

TEST(Graph, RefusesToMinimize) {
  Graph graph;
  Value w = graph.parameter("w", floats({2}, {1, 2}));
  graph.minimize(w, {.optimizer = {"sgd", {{"rate", 0.1}}}});
  Value loss = graph.reduceSum(w, {.keepdims = false});
  graph.minimize(loss, {.optimizer = {"sgd", {{"rate", -0.1}}}});
  graph.minimize(loss, {.optimizer = {"adm", {{"rate", 0.1}}}});
  graph.minimize(loss, {.optimizer = {"adam", {}}, .clipNorm = -1});
  const int line = __LINE__ - 1;
  EXPECT_THAT(
      std::string(graph.status().message()),
      testing::AllOf(
          testing::HasSubstr("expects a loss with one element"),
          testing::HasSubstr("'rate' expects a number above 0, found -0.1"),
          testing::HasSubstr(
              "there is no optimiser 'adm'; did you mean 'adam'? There are"),
          testing::HasSubstr("'rate' is missing; give a number above 0"),
          testing::HasSubstr("GraphTest.cpp:" + std::to_string(line))));
}

// What is assigned in one run is read in the next.
TEST(Graph, KeepsAssignedParameters) {
  Graph graph;
  Value total = graph.parameter("total", floats({2}, {100, 200}));
  Value x = graph.input("x", DType::F32, {2});
  Value sum = graph.add(total, x);
  graph.assign(total, sum);
  graph.output("sum", sum);
  std::unique_ptr<Session> session = load(compile(graph));
  ASSERT_TRUE(session);
  EXPECT_THAT(run(*session, floats({2}, {1, 2})),
              ElementsAre(ElementsAre(101, 202)));
  EXPECT_THAT(run(*session, floats({2}, {1, 2})),
              ElementsAre(ElementsAre(102, 204)));
}

/// Two entries that share the parameter `w`: one predicts with it, the other
/// takes a step from it towards `target`.
static Graph buildTraining(HostTensor weights) {
  Graph graph("predict");
  Value x = graph.input("x", DType::F32, {-1, 2});
  Value w = graph.parameter("w", std::move(weights));
  graph.output("y", graph.mul(x, w));

  graph.entry("train");
  Value target = graph.input("target", DType::F32, {2});
  Value step = graph.mul(graph.sub(target, w), graph.scalar(0.5));
  graph.assign(w, graph.add(w, step));
  graph.output("step", step);
  return graph;
}

// Entries share parameters: what one assigns is read by all. Each entry has its
// own shapes, of which there may be several.
// loss = sum((x * w)^2), so dw = 2 * x^2 * w, and the derivative of the sum of
// dw for w is 2 * x^2.
TEST(Graph, Differentiates) {
  Graph graph;
  Value x = graph.input("x", DType::F32, {2});
  Value w = graph.parameter("w", floats({2}, {3, -1}));
  Value y = graph.mul(x, w).named("y");
  Value loss = graph.reduceSum(graph.mul(y, y), {.keepdims = false});
  Values first = graph.gradient(loss, {w, x});
  ASSERT_EQ(first.size(), 2u);
  Value sum = graph.reduceSum(first[0], {.keepdims = false});
  graph.output("dw", first[0]);
  graph.output("dx", first[1]);
  graph.output("d2w", graph.gradient(sum, {w})[0]);
  auto session = load(compile(graph));
  ASSERT_NE(session, nullptr);
  EXPECT_THAT(run(*session, floats({2}, {2, 5})),
              ElementsAre(ElementsAre(24, -50), ElementsAre(36, 10),
                          ElementsAre(8, 50)));
}

TEST(Graph, BuildsSeveralEntries) {
  Graph graph = buildTraining(floats({2}, {1, 2}));
  EXPECT_THAT(textOf(graph),
              AllOf(HasSubstr("func.func @predict(%x: tensor<?x2xf32>)"),
                    HasSubstr("func.func @train(%target: tensor<2xf32>)"),
                    HasSubstr("weir.assign @w")));
  CompileOptions options;
  options.shapes = {"x:1x2", "x:2x2"};
  std::unique_ptr<Session> session = load(compile(graph, options));
  ASSERT_TRUE(session);
  StatusOr<SessionEntry> predict = session->entry("predict");
  StatusOr<SessionEntry> train = session->entry("train");
  ASSERT_TRUE(predict.isOk() && train.isOk());
  const auto call = [](SessionEntry &entry, HostTensor input) {
    StatusOr<std::vector<HostTensor>> outputs = entry.run({&input, 1});
    EXPECT_TRUE(outputs.isOk()) << outputs.status().message();
    if (!outputs.isOk())
      return std::vector<float>();
    const HostTensor &first = outputs->front();
    return std::vector<float>(first.values<float>().begin(),
                              first.values<float>().end());
  };
  EXPECT_THAT(call(*predict, floats({1, 2}, {1, 1})), ElementsAre(1, 2));
  EXPECT_THAT(call(*train, floats({2}, {5, 4})), ElementsAre(2, 1));
  EXPECT_THAT(call(*predict, floats({2, 2}, {1, 1, 2, 2})),
              ElementsAre(3, 3, 6, 6));
  EXPECT_FALSE(session->entry("predcit").isOk());
}

// An entry that reads a parameter of an earlier one does so once, and one that
// does not use it does not read it.
TEST(Graph, ReadsParametersWhereTheyAreUsed) {
  Graph graph("first");
  Value w = graph.parameter("w", floats({2}, {1, 2}));
  graph.output("y", graph.relu(graph.input("x", DType::F32, {2})));
  graph.entry("second");
  graph.output("y", graph.mul(graph.neg(w), w));
  const std::string text = textOf(graph);
  const size_t first = text.find("weir.read @w");
  ASSERT_NE(first, text.npos);
  EXPECT_GT(first, text.find("@second"));
  EXPECT_EQ(text.find("weir.read @w", first + 1), text.npos);
}

// The same value can leave under two names, and an input as it is.
TEST(Graph, ReturnsValuesTwice) {
  Graph graph;
  Value x = graph.input("x", DType::F32, {2});
  Value y = graph.relu(x);
  graph.output("a", y);
  graph.output("b", y);
  graph.output("c", x);
  std::unique_ptr<Session> session = load(compile(graph));
  ASSERT_TRUE(session);
  EXPECT_THAT(
      run(*session, floats({2}, {-1, 2})),
      ElementsAre(ElementsAre(0, 2), ElementsAre(0, 2), ElementsAre(-1, 2)));
}

// Both ways give the same bytes: positions in the user's program are used only
// in messages.
TEST(Graph, CompilesLikeItsText) {
  Graph graph;
  Value x = graph.input("image", DType::F32, {1, 1, 6, 6});
  Value w =
      graph.parameter("w", floats({1, 1, 3, 3}, {0, 1, 0, 1, -4, 1, 0, 1, 0}));
  Value edges = graph.relu(graph.conv(x, w, {}, {.pads = {1, 1, 1, 1}}))
                    .named("edges")
                    .on("cpu:0");
  Value pooled = graph.maxPool(edges, {2, 2}, {.strides = {2, 2}});
  graph.output("y", graph.softmax(graph.reshape(pooled, {1, 9}).on("cpu:1")));
  graph.output("edges", edges);
  std::string path = testing::TempDir() + "builder-network.mlir";
  std::ofstream(path) << textOf(graph);
  StatusOr<CompileResult> fromText = compileFile(
      path, "", {}, [](std::string_view message) { ADD_FAILURE() << message; });
  ASSERT_TRUE(fromText.isOk()) << fromText.status().message();
  EXPECT_TRUE(fromText->artifact == compile(graph));
  EXPECT_TRUE(load(fromText->artifact));
  std::filesystem::remove(path);
}

// The artifact in memory is that of the file.
TEST(Graph, WritesFiles) {
  Graph graph;
  graph.output("y", graph.relu(graph.input("x", DType::F32, {2})));
  std::string path = testing::TempDir() + "builder-network.weir";
  StatusOr<CompileResult> result = graph.compile(path);
  ASSERT_TRUE(result.isOk()) << result.status().message();
  EXPECT_TRUE(result->artifact.empty());
  std::ifstream file(path, std::ios::binary);
  std::string written(std::istreambuf_iterator<char>(file), {});
  std::vector<std::byte> bytes = compile(graph);
  EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(written)), bytes));
  std::filesystem::remove(path);
}

// For earlier phases the result is text, whatever the path is.
TEST(Graph, EmitsEarlierPhases) {
  Graph graph;
  graph.output("y", graph.relu(graph.input("x", DType::F32, {2})));
  CompileOptions options;
  options.emit = EmitPhase::Grouped;
  StatusOr<CompileResult> result = graph.compile("", options);
  ASSERT_TRUE(result.isOk()) << result.status().message();
  EXPECT_THAT(result->text, HasSubstr("weir.group"));
}

// A fallback to another device is reported, with the op and the user's line.
TEST(Graph, TellsOfFallbacks) {
  Graph graph;
  Value x = graph.input("x", DType::F32, {2});
  graph.output("y", graph.relu(x).named("rectified").on("cpu:7"));
  CompileOptions options;
  options.devices = "cpu:0-1";
  std::string told;
  StatusOr<CompileResult> result = graph.compile(
      "", options, [&](std::string_view message) { told += message; });
  ASSERT_TRUE(result.isOk()) << result.status().message();
  EXPECT_THAT(told, AllOf(HasSubstr("GraphTest.cpp:"), HasSubstr("rectified"),
                          HasSubstr("cpu:7")));
}
