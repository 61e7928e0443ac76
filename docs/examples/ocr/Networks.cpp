//===- Networks.cpp - The two networks that read a picture -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Networks.h"

#include "Boxes.h"
#include "Resample.h"

#include <algorithm>
#include <cmath>

using namespace ocr;
using namespace weir;

//===----------------------------------------------------------------------===//
// A network
//===----------------------------------------------------------------------===//

StatusOr<Network> Network::load(const std::string &path) {
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<Session> session, Session::load(path));
  if (session->inputs().size() != 1 || session->outputs().size() != 1 ||
      session->inputs()[0].desc.type != DType::F32 ||
      session->outputs()[0].desc.type != DType::F32)
    return invalidArgument("'" + path +
                           "': expected a network with one input "
                           "and one output of f32, found another");
  return Network(path, std::move(session));
}

const std::vector<int64_t> &Network::inputDims() const {
  return session->inputs()[0].desc.dims;
}

const std::vector<int64_t> &Network::outputDims() const {
  return session->outputs()[0].desc.dims;
}

StatusOr<HostTensor> Network::run(const HostTensor &input) {
  const TensorDesc &desc = session->outputs()[0].desc;
  WEIR_ASSIGN_OR_RETURN(HostTensor output,
                        HostTensor::zeros(desc.type, desc.dims));
  const ConstTensorView from{input.type(), input.dims(), input.data(),
                             input.bytes().size()};
  const TensorView to{output.type(), output.dims(), output.data(),
                      output.bytes().size()};
  WEIR_RETURN_IF_ERROR(session->run(std::span(&from, 1), std::span(&to, 1)));
  devices.addRun(session->stats());
  return output;
}

static std::string toString(std::span<const int64_t> dims) {
  std::string text;
  for (int64_t dim : dims) {
    if (!text.empty())
      text += 'x';
    text += std::to_string(dim);
  }
  return text;
}

static Status wrongNetwork(const Network &network,
                           const std::string &expected) {
  return invalidArgument("'" + network.path() + "': expected " + expected +
                         ", found " + toString(network.inputDims()) + " to " +
                         toString(network.outputDims()));
}

//===----------------------------------------------------------------------===//
// The detector
//===----------------------------------------------------------------------===//

/// The sizes with which the detector was trained: the shorter side has at least
/// this many pixels, and sides can be halved five times.
static constexpr int64_t minSide = 736, sideUnit = 32;

StatusOr<Detector> Detector::load(const std::string &path) {
  WEIR_ASSIGN_OR_RETURN(Network network, Network::load(path));
  const std::vector<int64_t> &in = network.inputDims();
  if (in.size() != 4 || in[0] != 1 || in[1] != 3 ||
      network.outputDims() != std::vector<int64_t>{1, 1, in[2], in[3]})
    return wrongNetwork(
        network, "a text detector from 1x3xHxW pictures to 1x1xHxW maps");
  return Detector(std::move(network));
}

/// The height and width to which a picture is scaled for the detector.
static std::vector<int64_t> detectorDims(const Image &image) {
  int64_t shorter = std::min(image.width, image.height);
  double ratio = std::max(1.0, static_cast<double>(minSide) / shorter);
  auto fit = [&](int64_t side) {
    double scaled = std::floor(static_cast<double>(side) * ratio);
    return static_cast<int64_t>(std::nearbyint(scaled / sideUnit)) * sideUnit;
  };
  return {1, 3, fit(image.height), fit(image.width)};
}

StatusOr<std::vector<Quad>> Detector::find(const Image &image) {
  const std::vector<int64_t> dims = detectorDims(image);
  if (dims != detector.inputDims())
    return invalidArgument(
        "'" + detector.path() + "': expected a detector for " + toString(dims) +
        ", as a picture of " + std::to_string(image.width) + "x" +
        std::to_string(image.height) + " pixels needs it, found one for " +
        toString(detector.inputDims()) +
        "; compile it with --shape=x:" + toString(dims));
  WEIR_ASSIGN_OR_RETURN(HostTensor input, HostTensor::zeros(DType::F32, dims));
  writePlanes(resize(image, dims[3], dims[2]), dims[3], input.values<float>());
  WEIR_ASSIGN_OR_RETURN(const HostTensor output, detector.run(input));
  return findBoxes({dims[3], dims[2], output.values<float>()}, image.width,
                   image.height);
}

//===----------------------------------------------------------------------===//
// The recogniser
//===----------------------------------------------------------------------===//

static constexpr int64_t lineHeight = 48;

StatusOr<Recogniser> Recogniser::load(std::span<const std::string> paths,
                                      Alphabet alphabet) {
  std::vector<Network> networks;
  const auto numClasses = static_cast<int64_t>(alphabet.size());
  for (const std::string &path : paths) {
    WEIR_ASSIGN_OR_RETURN(Network network, Network::load(path));
    const std::vector<int64_t> &in = network.inputDims();
    const std::vector<int64_t> &out = network.outputDims();
    if (in.size() != 4 || in[0] != 1 || in[1] != 3 || in[2] != lineHeight ||
        out.size() != 3 || out[0] != 1 || out[2] != numClasses)
      return wrongNetwork(network, "a recogniser from 1x3x48xW lines to 1xTx" +
                                       std::to_string(numClasses) +
                                       " probabilities (of nothing, the given "
                                       "characters and a space)");
    networks.push_back(std::move(network));
  }
  std::ranges::sort(networks, {},
                    [](const Network &n) { return n.inputDims()[3]; });
  return Recogniser(std::move(networks), std::move(alphabet));
}

StatusOr<Reading> Recogniser::read(const Image &line) {
  auto wanted = static_cast<int64_t>(
      std::ceil(static_cast<double>(lineHeight) * line.width / line.height));
  // The narrowest that holds the line. If none does, the widest is used and the
  // line is compressed.
  auto network = std::ranges::find_if(recognisers, [&](const Network &n) {
    return n.inputDims()[3] >= wanted;
  });
  if (network == recognisers.end())
    --network;
  int64_t width = network->inputDims()[3];
  WEIR_ASSIGN_OR_RETURN(HostTensor input,
                        HostTensor::zeros(DType::F32, network->inputDims()));
  writePlanes(resize(line, std::min(wanted, width), lineHeight), width,
              input.values<float>());
  WEIR_ASSIGN_OR_RETURN(const HostTensor output, network->run(input));
  return decode(output.values<float>(), alphabet);
}
