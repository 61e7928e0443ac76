//===- ocr.cpp - Reads the text of a picture -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Finds the lines of text in a PNG picture with one network and reads them with
// another. Prints the text and what each device did, and writes the picture
// with the boxes. It uses only the public API of Weir's runtime.
//
//===----------------------------------------------------------------------===//

#include "Image.h"
#include "Networks.h"
#include "Resample.h"

#include <chrono>
#include <cstdio>

using namespace ocr;
using namespace weir;

/// A line with a lower score is not text.
static constexpr double minScore = 0.5;
/// Larger and smaller pictures, and strips, would need a different treatment.
static constexpr int64_t minSide = 31, maxSide = 2000, maxAspect = 8;
/// A line that is higher than this many times its width is rotated before it is
/// read.
static constexpr double turnedAspect = 1.5;

static constexpr Colour boxColour = {40, 60, 220};

namespace {
struct Line {
  Quad box;
  Reading reading;
};
} // namespace

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static Status checkSize(const Image &image) {
  if (std::min(image.width, image.height) >= minSide &&
      std::max(image.width, image.height) <= maxSide &&
      image.width <= maxAspect * image.height)
    return Status::ok();
  return invalidArgument("expected a picture with sides of 31 to 2000 pixels, "
                         "at most eight times as wide as high, found " +
                         std::to_string(image.width) + "x" +
                         std::to_string(image.height) +
                         "; scale it or add a margin");
}

static StatusOr<std::vector<Line>>
readPicture(const Image &image, Detector &detector, Recogniser &recogniser) {
  WEIR_RETURN_IF_ERROR(checkSize(image));
  WEIR_ASSIGN_OR_RETURN(std::vector<Quad> boxes, detector.find(image));
  std::vector<Line> lines;
  for (const Quad &box : boxes) {
    Image line = cutOut(image, box);
    if (static_cast<double>(line.height) >=
        turnedAspect * static_cast<double>(line.width))
      line = turnLeft(line);
    WEIR_ASSIGN_OR_RETURN(Reading reading, recogniser.read(line));
    if (reading.score >= minScore)
      lines.push_back({box, std::move(reading)});
  }
  return lines;
}

//===----------------------------------------------------------------------===//
// Showing
//===----------------------------------------------------------------------===//

/// "10,20 90,20 90,40 10,40".
static std::string toString(const Quad &box) {
  std::string text;
  for (Point corner : box) {
    if (!text.empty())
      text += ' ';
    text += std::to_string(static_cast<int>(corner.x));
    text += ',';
    text += std::to_string(static_cast<int>(corner.y));
  }
  return text;
}

static void showLines(std::span<const Line> lines) {
  std::printf("score  box, clockwise from its top left         text\n");
  for (const Line &line : lines)
    std::printf("%.3f  %-39s  %s\n", line.reading.score,
                toString(line.box).c_str(), line.reading.text.c_str());
}

static void showNetwork(const char *name, const Network &network) {
  const DeviceTable &table = network.table();
  if (table.numRuns() == 0)
    return;
  std::printf("\n%s, pictures of %sx%s, %s run%s; of each:\n\n", name,
              std::to_string(network.inputDims()[3]).c_str(),
              std::to_string(network.inputDims()[2]).c_str(),
              withCommas(table.numRuns()).c_str(),
              table.numRuns() == 1 ? "" : "s");
  table.print();
}

static void drawBoxes(Image &image, std::span<const Line> lines) {
  for (const Line &line : lines)
    drawQuad(image, line.box, boxColour);
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

static Status run(std::span<const std::string> arguments) {
  WEIR_ASSIGN_OR_RETURN(Image image, readPng(arguments[0]));
  WEIR_ASSIGN_OR_RETURN(Detector detector, Detector::load(arguments[2]));
  WEIR_ASSIGN_OR_RETURN(Alphabet alphabet, readAlphabet(arguments[3]));
  WEIR_ASSIGN_OR_RETURN(
      Recogniser recogniser,
      Recogniser::load(arguments.subspan(4), std::move(alphabet)));

  auto start = std::chrono::steady_clock::now();
  WEIR_ASSIGN_OR_RETURN(std::vector<Line> lines,
                        readPicture(image, detector, recogniser));
  std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;

  showLines(lines);
  std::printf("\n%zu lines read in %.0f ms\n", lines.size(), elapsed.count());
  showNetwork("detector", detector.network());
  for (const Network &network : recogniser.networks())
    showNetwork("recogniser", network);

  drawBoxes(image, lines);
  WEIR_RETURN_IF_ERROR(writePng(arguments[1], image));
  std::printf("\nthe picture with the boxes: %s\n", arguments[1].c_str());
  return Status::ok();
}

int main(int argc, char **argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 5) {
    std::fprintf(stderr, "usage: ocr PICTURE.png BOXES.png DETECTOR.weir "
                         "CHARACTERS.txt RECOGNISER.weir...\n");
    return 2;
  }
  Status status = run(arguments);
  if (status.isOk())
    return 0;
  std::fprintf(stderr, "ocr: error: %s\n",
               std::string(status.message()).c_str());
  return 1;
}
