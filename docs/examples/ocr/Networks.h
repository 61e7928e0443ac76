//===- Networks.h - The two networks that read a picture -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef OCR_NETWORKS_H
#define OCR_NETWORKS_H

#include "../DeviceTable.h"
#include "Geometry.h"
#include "Image.h"
#include "Text.h"
#include "weir/Runtime/Session.h"
#include "weir/Support/HostTensor.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ocr {

/// A compiled network with one f32 input and one f32 output, and the statistics
/// of its devices.
class Network {
public:
  static weir::StatusOr<Network> load(const std::string &path);

  /// The file from which it was loaded.
  const std::string &path() const { return source; }
  const std::vector<int64_t> &inputDims() const;
  const std::vector<int64_t> &outputDims() const;
  weir::StatusOr<weir::HostTensor> run(const weir::HostTensor &input);
  const DeviceTable &table() const { return devices; }

private:
  Network(std::string source, std::unique_ptr<weir::Session> session)
      : source(std::move(source)), session(std::move(session)) {}

  std::string source;
  std::unique_ptr<weir::Session> session;
  DeviceTable devices;
};

/// Finds the boxes of a picture that contain text.
class Detector {
public:
  static weir::StatusOr<Detector> load(const std::string &path);
  weir::StatusOr<std::vector<Quad>> find(const Image &image);
  const Network &network() const { return detector; }

private:
  explicit Detector(Network network) : detector(std::move(network)) {}
  Network detector;
};

/// Reads single lines of text.
class Recogniser {
public:
  /// One file per line width, in any order.
  static weir::StatusOr<Recogniser> load(std::span<const std::string> paths,
                                         Alphabet alphabet);
  weir::StatusOr<Reading> read(const Image &line);
  /// Ordered from the narrowest to the widest.
  std::span<const Network> networks() const { return recognisers; }

private:
  Recogniser(std::vector<Network> networks, Alphabet alphabet)
      : recognisers(std::move(networks)), alphabet(std::move(alphabet)) {}
  std::vector<Network> recognisers;
  Alphabet alphabet;
};

} // namespace ocr

#endif // OCR_NETWORKS_H
