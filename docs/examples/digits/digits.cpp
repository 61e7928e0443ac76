//===- digits.cpp - Reads handwritten digits -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Loads a compiled network, runs it on images batch by batch, and shows the
// result and what each device did. It uses only the runtime's public API.
//
//===----------------------------------------------------------------------===//

#include "../DeviceTable.h"
#include "weir/Runtime/Session.h"
#include "weir/Support/Npy.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

using namespace weir;

static constexpr int64_t imageSide = 28;
static constexpr int64_t imageSize = imageSide * imageSide;
static constexpr int64_t numClasses = 10;
static constexpr double tolerance = 1e-5;

namespace {
/// The network's results for a set of images.
struct Reading {
  /// A row of `numClasses` per image.
  std::vector<float> probabilities;
  int64_t batchSize = 0;
  double seconds = 0;
  /// The work of the devices over all batches.
  DeviceTable devices;

  std::span<const float> row(int64_t image) const {
    return std::span(probabilities).subspan(image * numClasses, numClasses);
  }
  int digit(int64_t image) const {
    auto scores = row(image);
    return static_cast<int>(std::ranges::max_element(scores) - scores.begin());
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Checks that the network takes images and returns a score for each digit.
static Status checkNetwork(const Session &session) {
  const std::string expected = "expected a network from [batch, 1, 28, 28] "
                               "images to [batch, 10] probabilities";
  if (session.inputs().size() != 1 || session.outputs().size() != 1)
    return invalidArgument(expected + ", found another number of inputs or "
                                      "outputs");
  const TensorDesc &input = session.inputs()[0].desc;
  const TensorDesc &output = session.outputs()[0].desc;
  if (input.type != DType::F32 || input.dims.size() != 4 || input.dims[0] < 1 ||
      input.dims[1] != 1 || input.dims[2] != imageSide ||
      input.dims[3] != imageSide || output.type != DType::F32 ||
      output.dims != std::vector<int64_t>{input.dims[0], numClasses})
    return invalidArgument(expected + ", found " + input.toString() + " to " +
                           output.toString());
  return Status::ok();
}

/// Runs one batch. If there are fewer images than it holds, zeros follow.
static Status runBatch(Session &session, std::span<const float> images,
                       Reading &reading) {
  WEIR_ASSIGN_OR_RETURN(
      HostTensor batch,
      HostTensor::zeros(DType::F32, session.inputs()[0].desc.dims));
  std::ranges::copy(images, batch.values<float>().begin());
  WEIR_ASSIGN_OR_RETURN(std::vector<HostTensor> outputs,
                        session.run(std::span(&batch, 1)));
  auto scores = std::as_const(outputs[0]).values<float>();
  size_t numScores = images.size() / imageSize * numClasses;
  reading.probabilities.insert(reading.probabilities.end(), scores.begin(),
                               scores.begin() + numScores);
  reading.devices.addRun(session.stats());
  return Status::ok();
}

static StatusOr<Reading> readDigits(Session &session,
                                    std::span<const float> images) {
  Reading reading;
  reading.batchSize = session.inputs()[0].desc.dims[0];
  size_t batchFloats = reading.batchSize * imageSize;
  auto start = std::chrono::steady_clock::now();
  for (size_t first = 0; first < images.size(); first += batchFloats) {
    size_t count = std::min(batchFloats, images.size() - first);
    WEIR_RETURN_IF_ERROR(
        runBatch(session, images.subspan(first, count), reading));
  }
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  reading.seconds = elapsed.count();
  return reading;
}

//===----------------------------------------------------------------------===//
// Showing
//===----------------------------------------------------------------------===//

/// A digit of MNIST fits into a box of 20 by 20 pixels, and its ink into a
/// narrower one. Four pictures with gaps fill a terminal of 80 columns.
static constexpr int64_t pictureWidth = 19, pictureHeight = 20;
static constexpr int64_t picturesPerRow = 4;

static bool isInk(float pixel) { return pixel > 0.4f; }

/// The first column and row of the part of the image that has the ink in its
/// middle.
static std::pair<int64_t, int64_t> findCorner(std::span<const float> image) {
  int64_t left = imageSide, right = 0, top = imageSide, bottom = 0;
  for (int64_t y = 0; y < imageSide; ++y)
    for (int64_t x = 0; x < imageSide; ++x)
      if (isInk(image[y * imageSide + x])) {
        left = std::min(left, x), right = std::max(right, x);
        top = std::min(top, y), bottom = std::max(bottom, y);
      }
  auto corner = [](int64_t low, int64_t high, int64_t size) {
    return std::clamp((low + high + 1 - size) / 2, int64_t(0),
                      imageSide - size);
  };
  return {corner(left, right, pictureWidth),
          corner(top, bottom, pictureHeight)};
}

/// A picture as lines of text. Each character shows two pixels, one above the
/// other.
static std::vector<std::string> draw(std::span<const float> image) {
  static constexpr const char *blocks[] = {" ", "▀", "▄", "█"};
  auto [left, top] = findCorner(image);
  std::vector<std::string> lines;
  for (int64_t y = top; y < top + pictureHeight; y += 2) {
    std::string &line = lines.emplace_back();
    for (int64_t x = left; x < left + pictureWidth; ++x) {
      bool isUpper = isInk(image[y * imageSide + x]);
      bool isLower = isInk(image[(y + 1) * imageSide + x]);
      line += blocks[isUpper + 2 * isLower];
    }
  }
  return lines;
}

/// The digit that was read, as wide as a picture, and the label if it differs.
static std::string caption(int read, int label) {
  std::string text = "       read " + std::to_string(read);
  if (read != label)
    text += ", is " + std::to_string(label);
  text.resize(pictureWidth, ' ');
  return text;
}

/// Prints a row of pictures, each with the digit that was read below it.
static void showRow(std::span<const float> images,
                    std::span<const uint8_t> labels, const Reading &reading,
                    int64_t first, int64_t last) {
  std::vector<std::string> lines(pictureHeight / 2 + 1);
  for (int64_t i = first; i < last; ++i) {
    auto picture = draw(images.subspan(i * imageSize, imageSize));
    picture.push_back(caption(reading.digit(i), labels[i]));
    for (size_t y = 0; y < lines.size(); ++y)
      lines[y] += (i > first ? " " : "") + picture[y];
  }
  for (std::string &line : lines) {
    line.erase(line.find_last_not_of(' ') + 1);
    std::printf("%s\n", line.c_str());
  }
  std::printf("\n");
}

static void showDigits(std::span<const float> images,
                       std::span<const uint8_t> labels, const Reading &reading,
                       int64_t count) {
  for (int64_t first = 0; first < count; first += picturesPerRow)
    showRow(images, labels, reading, first,
            std::min(first + picturesPerRow, count));
}

static void showScore(std::span<const uint8_t> labels, const Reading &reading) {
  int64_t numRight = 0;
  for (size_t i = 0; i < labels.size(); ++i)
    numRight += reading.digit(static_cast<int64_t>(i)) == labels[i];
  std::printf("%s of %s digits right\n", withCommas(numRight).c_str(),
              withCommas(static_cast<int64_t>(labels.size())).c_str());
}

static void showDevices(const Reading &reading) {
  std::printf("\n%s batches of %s in %.1f ms; of each batch:\n\n",
              withCommas(reading.devices.numRuns()).c_str(),
              withCommas(reading.batchSize).c_str(), reading.seconds * 1e3);
  reading.devices.print();
  if (reading.devices.isShared())
    std::printf("\nThese devices share their memory, so what crosses moves no "
                "bytes;\ncompiled with --isolated each has its own.\n");
}

/// Compares with probabilities that were computed elsewhere.
static Status compare(const Reading &reading, const std::string &path) {
  WEIR_ASSIGN_OR_RETURN(const HostTensor expected, readNpy(path));
  if (expected.type() != DType::F32 ||
      expected.values<float>().size() != reading.probabilities.size())
    return invalidArgument("'" + path + "': expected " +
                           std::to_string(reading.probabilities.size()) +
                           " f32 values, found " + expected.desc().toString());
  double largest = 0;
  for (size_t i = 0; i < reading.probabilities.size(); ++i) {
    double difference = std::abs(static_cast<double>(reading.probabilities[i]) -
                                 expected.values<float>()[i]);
    // Comparisons with NaN are false, so it is handled separately.
    largest = std::isnan(difference) ? HUGE_VAL : std::max(largest, difference);
  }
  std::printf("largest difference from the expected probabilities: %.1e\n",
              largest);
  if (largest <= tolerance)
    return Status::ok();
  return internalError("the probabilities differ by more than 1e-5");
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

static Status run(std::span<char *> arguments) {
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                        Session::load(arguments[0]));
  WEIR_RETURN_IF_ERROR(checkNetwork(*session));
  WEIR_ASSIGN_OR_RETURN(const HostTensor images, readNpy(arguments[1]));
  WEIR_ASSIGN_OR_RETURN(const HostTensor labels, readNpy(arguments[2]));
  if (images.type() != DType::F32 || labels.type() != DType::U8 ||
      images.values<float>().size() !=
          labels.values<uint8_t>().size() * imageSize)
    return invalidArgument("expected f32 images of 28x28 and as many u8 "
                           "labels, found " +
                           images.desc().toString() + " and " +
                           labels.desc().toString());

  WEIR_ASSIGN_OR_RETURN(Reading reading,
                        readDigits(*session, images.values<float>()));
  auto numImages = static_cast<int64_t>(labels.values<uint8_t>().size());
  showDigits(images.values<float>(), labels.values<uint8_t>(), reading,
             std::min<int64_t>(12, numImages));
  showScore(labels.values<uint8_t>(), reading);
  if (arguments.size() > 3)
    WEIR_RETURN_IF_ERROR(compare(reading, arguments[3]));
  showDevices(reading);
  return Status::ok();
}

int main(int argc, char **argv) {
  if (argc < 4 || argc > 5) {
    std::fprintf(stderr, "usage: digits MODEL.weir IMAGES.npy LABELS.npy "
                         "[EXPECTED_PROBABILITIES.npy]\n");
    return 2;
  }
  Status status = run(std::span(argv + 1, argv + argc));
  if (status.isOk())
    return 0;
  std::fprintf(stderr, "digits: error: %s\n",
               std::string(status.message()).c_str());
  return 1;
}
