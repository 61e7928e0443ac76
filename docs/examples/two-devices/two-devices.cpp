//===- two-devices.cpp - A graph from C++ on two devices -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Builds a network that tells vertical from horizontal bars, compiles it for
// two devices, and runs it: the filters on cpu:0, the classification on cpu:1.
//
//===----------------------------------------------------------------------===//

#include "weir/Builder/Graph.h"
#include "weir/Runtime/Session.h"

#include <cstdio>
#include <utility>

using namespace weir;

static constexpr int64_t side = 6;
static constexpr const char *pictureNames[] = {"vertical", "horizontal",
                                               "diagonal"};
static constexpr int64_t numPictures = std::size(pictureNames);

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

static StatusOr<HostTensor> floats(std::vector<int64_t> dims,
                                   std::vector<float> values) {
  return HostTensor::of<float>(DType::F32, std::move(dims), values);
}

/// The network. Its weights are two edge filters, and the rule that much
/// brightness change from left to right speaks for a vertical bar.
static StatusOr<Graph> buildNetwork() {
  WEIR_ASSIGN_OR_RETURN(HostTensor filters, floats({2, 1, 3, 3}, {-1, 0, 1, //
                                                                  -2, 0, 2, //
                                                                  -1, 0, 1, //
                                                                  //
                                                                  -1, -2, -1, //
                                                                  0, 0, 0,    //
                                                                  1, 2, 1}));
  WEIR_ASSIGN_OR_RETURN(HostTensor rule, floats({2, 2}, {1, -1, -1, 1}));

  Graph graph;
  Value pictures = graph.input("pictures", DType::F32, {-1, 1, side, side});
  Value strength;
  {
    DeviceScope onFirst(graph, "cpu:0");
    Value weights = graph.parameter("filters", std::move(filters));
    Value edges = graph.conv(pictures, weights).named("edges");
    strength = graph.globalAveragePool(graph.abs(edges)).named("strength");
  }
  Value flat = graph.reshape(strength, {0, 2}).on("cpu:1");
  Value scores = graph.linear(flat, graph.parameter("rule", std::move(rule)))
                     .named("scores")
                     .on("cpu:1");
  graph.output("probabilities", graph.softmax(scores).on("cpu:1"));
  WEIR_RETURN_IF_ERROR(graph.status());
  return graph;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Compiles `graph` in memory, for all pictures at once, and loads the result.
static StatusOr<std::unique_ptr<Session>> prepare(const Graph &graph) {
  CompileOptions options;
  options.devices = "cpu:0-1";
  options.shapes = {"pictures:" + std::to_string(numPictures) + "x1x6x6"};
  WEIR_ASSIGN_OR_RETURN(CompileResult result, graph.compile("", options));
  return Session::load(result.artifact);
}

/// A bright line on dark ground per picture.
static StatusOr<HostTensor> drawPictures() {
  WEIR_ASSIGN_OR_RETURN(
      HostTensor pictures,
      HostTensor::zeros(DType::F32, {numPictures, 1, side, side}));
  float *vertical = pictures.values<float>().data();
  float *horizontal = vertical + side * side;
  float *diagonal = horizontal + side * side;
  for (int64_t i = 0; i < side; ++i)
    vertical[i * side + 2] = horizontal[2 * side + i] = diagonal[i * side + i] =
        1;
  return pictures;
}

static Status runExample() {
  WEIR_ASSIGN_OR_RETURN(Graph graph, buildNetwork());
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<Session> session, prepare(graph));
  WEIR_ASSIGN_OR_RETURN(HostTensor pictures, drawPictures());
  WEIR_ASSIGN_OR_RETURN(std::vector<HostTensor> outputs,
                        session->run({&pictures, 1}));
  std::span<const float> probabilities =
      std::as_const(outputs[0]).values<float>();
  for (int64_t i = 0; i < numPictures; ++i)
    std::printf("%s bar: %.4f vertical, %.4f horizontal\n", pictureNames[i],
                probabilities[2 * i], probabilities[2 * i + 1]);
  for (const LaunchInfo &launch : session->launches())
    std::printf("%s ran %s\n", launch.device.c_str(), launch.op.c_str());
  return Status::ok();
}

int main() {
  Status status = runExample();
  if (status.isOk())
    return 0;
  std::fprintf(stderr, "two-devices: %s\n",
               std::string(status.message()).c_str());
  return 1;
}
