//===- GraphErrorsTest.cpp - Errors of the graph builder --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Builder/Graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace weir;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

static std::string messageOf(const Graph &graph) {
  return std::string(graph.status().message());
}

/// The message of a compilation that must fail.
static std::string compileError(const Graph &graph,
                                const CompileOptions &options = {}) {
  StatusOr<CompileResult> result = graph.compile("", options);
  EXPECT_FALSE(result.isOk());
  return std::string(result.status().message());
}

/// "GraphErrorsTest.cpp:LINE", as messages name a call in this file.
static std::string at(int line) {
  return "GraphErrorsTest.cpp:" + std::to_string(line);
}

/// Moves from `source`, which is used afterwards on purpose.
template <typename T> static T take(T &source) { return std::move(source); }

static HostTensor ones(std::vector<int64_t> dims) {
  HostTensor tensor = *HostTensor::zeros(DType::F32, std::move(dims));
  for (float &value : tensor.values<float>())
    value = 1;
  return tensor;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

// The message names the caller's file and line, the op and its call.
TEST(GraphErrors, NamesThePlaceInTheUsersProgram) {
  Graph graph;
  Value x = graph.input("x", DType::F32, {2, 3});
  int line = __LINE__ + 1;
  graph.matmul(x, x);
  EXPECT_THAT(messageOf(graph),
              AllOf(HasSubstr(at(line)),
                    HasSubstr("weir.matmul (call 3): dim 'k' is 3 by operand 0 "
                              "(2x3) but 2 by operand 1 (2x3)")));
}

TEST(GraphErrors, RefusesAValueOfAnotherGraph) {
  Graph graph, other;
  Value x = graph.input("x", DType::F32, {2});
  Value y = other.input("y", DType::F32, {2});
  Value sum = graph.add(x, y);
  EXPECT_THAT(messageOf(graph),
              HasSubstr("weir.add (call 3): operand 'rhs' belongs to another "
                        "graph; build it in this one"));
  EXPECT_TRUE(other.status().isOk());
  EXPECT_EQ(sum.type(), std::nullopt);
}

TEST(GraphErrors, RefusesAValueWhoseGraphIsGone) {
  Value stray;
  {
    Graph gone;
    stray = gone.input("x", DType::F32, {2});
  }
  EXPECT_EQ(stray.dims(), std::vector<int64_t>{2});
  Graph graph;
  graph.relu(stray);
  EXPECT_THAT(messageOf(graph), HasSubstr("'input' belongs to another graph"));
}

TEST(GraphErrors, RefusesAMissingValue) {
  Graph graph;
  Value x = graph.input("x", DType::F32, {2});
  graph.add(x, Value());
  graph.output("y", Value());
  EXPECT_THAT(messageOf(graph),
              AllOf(HasSubstr("weir.add (call 3): operand 'rhs' is missing; "
                              "pass what an earlier call of this graph "
                              "returned\n"),
                    HasSubstr("output (call 4): the value is missing")));
}

// Uses of a failed call's result are not errors of their own.
TEST(GraphErrors, ReportsOnlyCauses) {
  Graph graph;
  Value x = graph.input("x", DType::F32, {2, 3});
  Value wrong = graph.matmul(x, x).named("wrong").on("cpu:0");
  graph.output("y", graph.relu(graph.add(wrong, x)));
  std::string message = messageOf(graph);
  EXPECT_THAT(message, HasSubstr("weir.matmul"));
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

TEST(GraphErrors, ReportsAllCauses) {
  Graph graph;
  Value x = graph.input("x", DType::F32, {2, 3});
  graph.matmul(x, x);
  graph.reshape(x, {7});
  EXPECT_THAT(messageOf(graph),
              AllOf(HasSubstr("weir.matmul (call 3)"), HasSubstr("\n"),
                    HasSubstr("weir.reshape (call 4)")));
}

TEST(GraphErrors, RefusesOperandsOfTwoElementTypes) {
  Graph graph;
  graph.add(graph.input("x", DType::F32, {2}),
            graph.input("y", DType::I32, {2}));
  EXPECT_THAT(messageOf(graph), AllOf(HasSubstr("weir.add (call 4)"),
                                      HasSubstr("f32"), HasSubstr("i32")));
}

TEST(GraphErrors, RefusesAttributesThatDoNotFit) {
  Graph graph;
  Value x = graph.input("x", DType::F32, {1, 2, 5, 5});
  graph.maxPool(x, {2, 2}, {.strides = {1, 1, 1}});
  graph.softmax(x, {.axis = 4});
  graph.concat({}, 0);
  graph.split(x, 1, {1, 2});
  graph.maxPool(x, {2, 2}, {.pads = {-1, 0, 0, 0}});
  EXPECT_THAT(messageOf(graph), AllOf(HasSubstr("weir.max_pool (call 3)"),
                                      HasSubstr("weir.softmax (call 4)"),
                                      HasSubstr("weir.concat (call 5)"),
                                      HasSubstr("weir.split (call 6)"),
                                      HasSubstr("weir.max_pool (call 7): "
                                                "attribute 'pads' expects "
                                                "numbers from 0 on, found "
                                                "[-1, 0, 0, 0]")));
}

// A result that does not exist is an error of the call that has too few.
TEST(GraphErrors, HasNoResultBeyondTheLast) {
  Graph graph;
  Value x = graph.input("x", DType::F32, {4});
  int line = __LINE__ + 1;
  Values parts = graph.split(x, 0, {1, 3});
  EXPECT_EQ(parts.size(), 2u);
  EXPECT_TRUE(graph.status().isOk());
  graph.relu(x);
  EXPECT_EQ(parts[2].type(), std::nullopt);
  EXPECT_THAT(messageOf(graph),
              HasSubstr(at(line) +
                        ": weir.split (call 3): has 2 results, found "
                        "index 2; expected 0 to 1"));
  Graph failing;
  (void)failing.split(failing.input("x", DType::F32, {4}), 7, {1, 3})[5];
  EXPECT_THAT(messageOf(failing), Not(HasSubstr("results")));
}

// A number that is no element type is refused wherever it is given.
TEST(GraphErrors, RefusesUnknownElementTypes) {
  Graph graph;
  graph.input("x", DType(200), {2});
  graph.cast(graph.input("y", DType::F32, {2}), DType(99));
  graph.scalar(1, DType(77));
  EXPECT_THAT(messageOf(graph),
              AllOf(HasSubstr("input (call 2): there is no element type of "
                              "number 200; expected one of the 13 of DType"),
                    HasSubstr("weir.cast (call 4): attribute 'to': there is no "
                              "element type of number 99"),
                    HasSubstr("scalar (call 5): there is no element type of "
                              "number 77")));
}

// Whatever is called on it, a graph that was moved from says so.
TEST(GraphErrors, RefusesCallsOfAMovedGraph) {
  const std::string moved =
      "the graph was moved from; call the one that it was moved to";
  Graph graph;
  Value x = graph.input("x", DType::F32, {2});
  Graph other = take(graph);
  EXPECT_EQ(messageOf(graph), moved);
  EXPECT_EQ(compileError(graph), moved);
  EXPECT_EQ(graph.text().status().message(), moved);
  int line = __LINE__ + 1;
  DeviceScope scope(graph, "cpu:0");
  graph.relu(x);
  graph.output("y", x);
  EXPECT_THAT(messageOf(graph),
              HasSubstr(at(line) + ": DeviceScope (call 2): " + moved));
  other.output("y", other.relu(x));
  EXPECT_TRUE(other.compile("").isOk());
  graph = Graph();
  EXPECT_TRUE(graph.status().isOk());
}

TEST(GraphErrors, RefusesTensorsThatWereMoved) {
  HostTensor tensor = ones({1});
  HostTensor other = take(tensor);
  Graph graph;
  graph.constant(tensor);
  graph.parameter("w", std::move(tensor));
  EXPECT_THAT(messageOf(graph),
              AllOf(HasSubstr("constant (call 2): the tensor has no memory; it "
                              "was moved from"),
                    HasSubstr("parameter (call 3): the tensor has no memory; "
                              "it was moved from")));
}

//===----------------------------------------------------------------------===//
// Inputs, parameters, constants
//===----------------------------------------------------------------------===//

TEST(GraphErrors, RefusesNegativeDims) {
  Graph graph;
  graph.input("x", DType::F32, {2, -3});
  EXPECT_THAT(messageOf(graph),
              HasSubstr("expects sizes, or -1 where unknown, as dims of input "
                        "'x', found -3"));
}

TEST(GraphErrors, RefusesNamesThatAreTaken) {
  Graph graph;
  Value x = graph.input("x", DType::F32, {2});
  graph.input("x", DType::F32, {2});
  graph.parameter("x", ones({2}));
  graph.relu(x).named("x");
  graph.input("", DType::F32, {2});
  EXPECT_THAT(
      messageOf(graph),
      AllOf(HasSubstr("input (call 3): the name 'x' is taken; give each "
                      "op, input and parameter its own"),
            HasSubstr("parameter (call 4): the name 'x' is taken"),
            HasSubstr("named (call 6): the name 'x' is taken"),
            HasSubstr("input (call 7): expects a name, found none")));
}

TEST(GraphErrors, RefusesASecondName) {
  Graph graph;
  Value x = graph.input("x", DType::F32, {2}).named("y");
  graph.relu(x).named("z").named("w");
  EXPECT_THAT(
      messageOf(graph),
      AllOf(HasSubstr("named (call 3): 'x' has its name already, found a "
                      "second one, 'y'; leave one out"),
            HasSubstr("'z' has its name already")));
}

TEST(GraphErrors, RefusesAParameterCalledLikeTheGraph) {
  Graph graph("net");
  graph.parameter("net", ones({2}));
  EXPECT_THAT(messageOf(graph), HasSubstr("'net' is the name of an entry; give "
                                          "the parameter another"));
}

TEST(GraphErrors, RefusesAGraphWithoutAName) {
  EXPECT_THAT(messageOf(Graph("")),
              HasSubstr("expects a name for the entry, found none"));
}

TEST(GraphErrors, RefusesFilesItCannotRead) {
  Graph graph;
  graph.parameter("w", TensorFile{"no-such.safetensors", ""});
  std::string path = testing::TempDir() + "builder-damaged.safetensors";
  std::ofstream(path) << "not a tensor";
  graph.parameter("v", TensorFile{path, "v"});
  EXPECT_THAT(messageOf(graph),
              AllOf(HasSubstr("parameter (call 2)"),
                    HasSubstr("no-such.safetensors"),
                    HasSubstr("parameter (call 3)"), HasSubstr(path)));
  std::filesystem::remove(path);
}

TEST(GraphErrors, RefusesToAssignWhatDoesNotFit) {
  Graph graph;
  Value w = graph.parameter("w", ones({2}));
  Value x = graph.input("x", DType::F32, {3});
  graph.assign(w, x);
  graph.assign(x, x);
  graph.assign(w, graph.relu(w));
  graph.assign(w, graph.exp(w));
  EXPECT_THAT(messageOf(graph),
              AllOf(HasSubstr("assign (call 4): parameter @w is tensor<2xf32>, "
                              "the value tensor<3xf32>; assign a value of the "
                              "parameter's type"),
                    HasSubstr("assign (call 9): parameter 'w' is assigned a "
                              "second time; leave one out"),
                    HasSubstr("assign (call 5): expects a parameter, found "
                              "another value; pass what Graph::parameter "
                              "returned")));
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

TEST(GraphErrors, RefusesMalformedDevices) {
  Graph graph;
  Value x = graph.input("x", DType::F32, {2});
  graph.relu(x).on("cpu-0");
  graph.relu(x).on("tpu:0");
  DeviceScope scope(graph, "cpu:");
  EXPECT_THAT(messageOf(graph),
              AllOf(HasSubstr("on (call 4): "), HasSubstr("cpu-0"),
                    HasSubstr("on (call 6): "), HasSubstr("tpu"),
                    HasSubstr("DeviceScope (call 7): ")));
}

TEST(GraphErrors, RefusesToPlaceWhatIsNoOp) {
  Graph graph;
  graph.input("x", DType::F32, {2}).on("cpu:0");
  graph.parameter("w", ones({2})).on("cpu:0");
  EXPECT_THAT(messageOf(graph),
              AllOf(HasSubstr("on (call 3): expects the result of an op, found "
                              "an input, parameter or constant; place the ops "
                              "that read it instead"),
                    HasSubstr("on (call 5): ")));
}

// Under `strict` a device that the list lacks is an error at the op's line.
TEST(GraphErrors, NamesTheOpWhoseDeviceIsMissing) {
  Graph graph;
  Value x = graph.input("x", DType::F32, {2, 2});
  int line = __LINE__ + 1;
  Value y = graph.matmul(x, x).named("product").on("cpu:3");
  graph.output("y", y);
  CompileOptions options;
  options.devices = "cpu:0-1";
  options.strict = true;
  EXPECT_THAT(
      compileError(graph, options),
      AllOf(HasSubstr(at(line)), HasSubstr("product"), HasSubstr("cpu:3")));
}

TEST(GraphErrors, RefusesOptionsThatNameNothing) {
  Graph graph;
  graph.output("y", graph.relu(graph.input("x", DType::F32, {2})));
  CompileOptions options;
  options.targetCpus = {};
  EXPECT_EQ(compileError(graph, options),
            "--target-cpu: expected a CPU, found none; native is the one of "
            "this machine");
  options = {};
  options.emit = EmitPhase(55);
  EXPECT_EQ(compileError(graph, options),
            "--emit: there is no phase of number 55");
  EXPECT_EQ(toString(EmitPhase(55)), "");
}

// Without a function for messages, they are in the result.
TEST(GraphErrors, CompilesFilesWithoutAFunctionForMessages) {
  const std::string path = testing::TempDir() + "weir-no-function.mlir";
  std::ofstream(path) << "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> "
                         "{\n  %y = weir.reluu %x : tensor<2xf32>\n}\n";
  EXPECT_THAT(
      std::string(compileFile(path, "", {}, nullptr).status().message()),
      HasSubstr("there is no op 'weir.reluu'"));
  std::filesystem::remove(path);
}

// Only the phases that lead to a plan can predict when its commands run.
TEST(GraphErrors, RefusesTimelinesWithoutAPlan) {
  Graph graph;
  graph.output("y", graph.relu(graph.input("x", DType::F32, {2})));
  CompileOptions text, passes, trace;
  text.simulate = passes.simulate = true;
  text.emit = trace.emit = EmitPhase::Placed;
  passes.passPipeline = "builtin.module(canonicalize)";
  trace.traceFile = "trace.json";
  for (const CompileOptions &options : {text, passes, trace})
    EXPECT_EQ(compileError(graph, options),
              "--simulate runs the plan in virtual time; give --emit=exec, or "
              "write the artifact");
  text.emit = EmitPhase::Exec;
  auto planned = graph.compile("", text);
  ASSERT_TRUE(planned.isOk()) << planned.status().message();
  EXPECT_EQ(planned->report.timelines.size(), 1u);
}

// The number of threads must be one that a device can have and an artifact can
// store.
TEST(GraphErrors, RefusesManyOrNegativeThreads) {
  Graph graph;
  graph.output("x", graph.input("x", DType::F32, {2}));
  CompileOptions options;
  options.threads = 1024;
  EXPECT_TRUE(graph.compile("", options).isOk());
  for (int threads : {-3, 1025, 65537}) {
    options.threads = threads;
    EXPECT_EQ(compileError(graph, options),
              "--threads: expected 0 to 1024, found " +
                  std::to_string(threads));
  }
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

TEST(GraphErrors, RefusesNamesOfEntriesThatAreTaken) {
  Graph graph("predict");
  graph.parameter("w", ones({2}));
  graph.entry("predict");
  graph.entry("w");
  graph.entry("");
  EXPECT_THAT(
      messageOf(graph),
      AllOf(HasSubstr("entry (call 3): there is an entry 'predict' already; "
                      "give this one another name"),
            HasSubstr("entry (call 4): 'w' is the name of a parameter; give "
                      "the entry another"),
            HasSubstr("entry (call 5): expects a name for the entry, found "
                      "none")));
}

// Only parameters are shared. Each entry has names of its own, which must
// differ from those of parameters.
TEST(GraphErrors, RefusesAValueOfAnotherEntry) {
  Graph graph("predict");
  Value w = graph.parameter("w", ones({2}));
  Value x = graph.input("x", DType::F32, {2});
  Value y = graph.relu(x).named("y");
  graph.output("y", y);
  graph.entry("train");
  graph.input("x", DType::F32, {2});
  graph.input("w", DType::F32, {2});
  graph.output("sum", graph.add(w, y));
  graph.output("x", x);
  graph.assign(w, y);
  graph.assign(x, w);
  EXPECT_THAT(
      messageOf(graph),
      AllOf(HasSubstr("input (call 9): the name 'w' is taken"),
            HasSubstr("weir.add (call 10): operand 'rhs' belongs to entry "
                      "'predict', but entries share parameters only; compute "
                      "it in 'train' again, or make it a parameter"),
            HasSubstr("output (call 12): the value belongs to entry"),
            HasSubstr("assign (call 13): the value belongs to entry"),
            HasSubstr("assign (call 14): expects a parameter"),
            Not(HasSubstr("'x' is taken"))));
}

// A name belongs to the entry of its op, also when another entry has begun.
// The name of a parameter differs from the names in all entries.
TEST(GraphErrors, RefusesNamesThatAreTakenInTheirEntry) {
  Graph graph("predict");
  Value x = graph.input("x", DType::F32, {2});
  Value y = graph.relu(x);
  graph.entry("train");
  Value z = graph.exp(graph.input("z", DType::F32, {2}));
  y.named("x");
  y.named("z");
  z.named("x");
  graph.parameter("x", ones({2}));
  graph.parameter("z", ones({2}));
  EXPECT_THAT(
      messageOf(graph),
      AllOf(HasSubstr("named (call 7): the name 'x' is taken; give each "
                      "op, input and parameter its own\n"),
            HasSubstr("parameter (call 10): the name 'x' is taken"),
            HasSubstr("parameter (call 11): the name 'z' is taken"),
            Not(HasSubstr("call 8")), Not(HasSubstr("call 9"))));
}

TEST(GraphErrors, RefusesAnEntryThatDoesNothing) {
  Graph graph("predict");
  Value x = graph.input("x", DType::F32, {2});
  graph.output("y", graph.relu(x));
  graph.entry("train");
  graph.relu(graph.input("x", DType::F32, {2}));
  EXPECT_EQ(compileError(graph),
            "entry 'train' has no output and assigns no parameter; name an "
            "output with Graph::output");
}

// Options choose among the entries.
TEST(GraphErrors, RefusesAnUnknownEntry) {
  Graph graph("predict");
  graph.output("y", graph.relu(graph.input("x", DType::F32, {2})));
  graph.entry("train");
  graph.output("y", graph.neg(graph.input("x", DType::F32, {2})));
  CompileOptions options;
  options.entries = {"predcit"};
  EXPECT_THAT(compileError(graph, options),
              HasSubstr("--entry names 'predcit', which is no function; did "
                        "you mean 'predict'? There are 'predict', 'train'"));
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

TEST(GraphErrors, RefusesAGraphWithoutOutputs) {
  Graph graph;
  graph.input("x", DType::F32, {2});
  EXPECT_EQ(compileError(graph),
            "the graph has no output; name one with Graph::output");
  EXPECT_FALSE(graph.text().isOk());
}

TEST(GraphErrors, RefusesTwoOutputsOfOneName) {
  Graph graph;
  Value x = graph.input("x", DType::F32, {2});
  graph.output("y", graph.relu(x));
  graph.output("y", graph.neg(x));
  graph.output("", x);
  EXPECT_THAT(messageOf(graph),
              AllOf(HasSubstr("there is an output 'y' already; give this one "
                              "another name"),
                    HasSubstr("output (call 7): expects a name, found none")));
}

// Errors of calls are what compile reports, before anything else.
TEST(GraphErrors, CompilesNothingAfterAnError) {
  Graph graph;
  Value x = graph.input("x", DType::F32, {2, 3});
  graph.output("y", graph.matmul(x, x));
  EXPECT_EQ(compileError(graph), messageOf(graph));
}

TEST(GraphErrors, NamesUnboundDims) {
  Graph graph;
  Value x = graph.input("pixels", DType::F32, {-1, 3});
  graph.output("y", graph.relu(x));
  EXPECT_THAT(compileError(graph), HasSubstr("pixels"));
}

TEST(GraphErrors, NamesAFileItCannotWrite) {
  Graph graph;
  graph.output("y", graph.relu(graph.input("x", DType::F32, {2})));
  StatusOr<CompileResult> result = graph.compile("/no-such-folder/net.weir");
  ASSERT_FALSE(result.isOk());
  EXPECT_THAT(std::string(result.status().message()),
              HasSubstr("/no-such-folder/net.weir"));
}
