//===- ImageSource.cpp - Datasets in folders of images --------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "DatasetState.h"
#include "Pixels.h"

#include "weir/Data/Sources.h"
#include "weir/Support/NearNames.h"
#include "weir/Support/Printable.h"
#include "weir/Support/RegularFile.h"
#include "weir/Support/SystemError.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <utility>

using namespace weir;
namespace fs = std::filesystem;

namespace {
/// The files of all classes, in the order of their rows.
struct ImageFiles {
  std::string folder;
  std::vector<std::string> classes;
  /// For each class, the number of the row behind its last row.
  std::vector<int64_t> ends;
  std::vector<std::string> names;
  /// The folders of the classes, in the order of the rows. `labels` has their
  /// labels.
  std::vector<std::string> folders;
  std::vector<int64_t> labels;

  size_t folderOf(int64_t row) const {
    return static_cast<size_t>(std::ranges::upper_bound(ends, row) -
                               ends.begin());
  }
  int64_t label(int64_t row) const { return labels[folderOf(row)]; }
  std::string path(int64_t row) const {
    return fmt::format("{}/{}/{}", folder, folders[folderOf(row)],
                       names[static_cast<size_t>(row)]);
  }
};
using SharedFiles = std::shared_ptr<const ImageFiles>;

struct Listing {
  std::vector<std::string> folders, files;
};

/// The contents of the folder `path`. They are sorted and have no hidden files.
StatusOr<Listing> list(const std::string &path) {
  Listing listing;
  std::error_code error;
  fs::directory_iterator entries(path, error);
  for (; !error && entries != fs::directory_iterator();
       entries.increment(error)) {
    const std::string name = entries->path().filename();
    std::error_code unknown;
    if (!name.starts_with('.'))
      (entries->is_directory(unknown) ? listing.folders : listing.files)
          .push_back(name);
  }
  if (error)
    return systemError(fmt::format("cannot read '{}'", printable(path)),
                       error.value());
  std::ranges::sort(listing.folders);
  std::ranges::sort(listing.files);
  return listing;
}

bool isImageName(std::string name) {
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return name.ends_with(".png") || name.ends_with(".jpg") ||
         name.ends_with(".jpeg");
}

Status addClass(ImageFiles &files, const std::string &name) {
  const std::string path = fmt::format("{}/{}", files.folder, name);
  WEIR_ASSIGN_OR_RETURN(Listing listing, list(path));
  if (!listing.folders.empty())
    return invalidArgument(fmt::format(
        "'{}' is a folder in the folder of a class; expected images",
        printable(path + "/" + listing.folders.front())));
  for (const std::string &file : listing.files)
    if (!isImageName(file))
      return invalidArgument(fmt::format(
          "'{}' is no image by its name; expected .png, .jpg or .jpeg",
          printable(path + "/" + file)));
  if (listing.files.empty())
    return invalidArgument(
        fmt::format("the class '{}' has no images", printable(path)));
  files.folders.push_back(name);
  std::ranges::move(listing.files, std::back_inserter(files.names));
  files.ends.push_back(static_cast<int64_t>(files.names.size()));
  return Status::ok();
}

/// Sets the label of each folder to its position in `classes`. If `classes` is
/// empty, the folders themselves are the classes.
Status addLabels(ImageFiles &files, std::vector<std::string> classes) {
  files.classes = classes.empty() ? files.folders : std::move(classes);
  for (const std::string &name : files.folders) {
    const auto found = std::ranges::find(files.classes, name);
    if (found == files.classes.end())
      return invalidArgument(fmt::format(
          "the folder '{}' is none of the classes {}, which the training data "
          "or graph-run --classes gives",
          printable(files.folder + "/" + name),
          nearNames(name, files.classes)));
    files.labels.push_back(found - files.classes.begin());
  }
  return Status::ok();
}

StatusOr<ImageFiles> findImages(std::string folder,
                                const std::vector<std::string> &classes) {
  while (folder.size() > 1 && folder.ends_with('/'))
    folder.pop_back();
  ImageFiles files;
  files.folder = folder;
  WEIR_ASSIGN_OR_RETURN(const Listing listing, list(folder));
  if (!listing.files.empty())
    return invalidArgument(fmt::format(
        "'{}' is in no folder of a class; expected a folder for "
        "each class in '{}', and nothing else",
        printable(folder + "/" + listing.files.front()), printable(folder)));
  for (const std::string &name : listing.folders)
    WEIR_RETURN_IF_ERROR(addClass(files, name));
  if (files.folders.empty())
    return invalidArgument(fmt::format(
        "'{}' has no folders; expected one for each class", printable(folder)));
  WEIR_RETURN_IF_ERROR(addLabels(files, classes));
  return files;
}

/// Decodes the file `path` into `scratch.pixels`.
StatusOr<PixelShape> decodeFile(const std::string &path, ReadScratch &scratch) {
  const std::string context = fmt::format("'{}'", printable(path));
  WEIR_ASSIGN_OR_RETURN(const RegularFile file, RegularFile::open(path));
  std::byte *bytes = scratch.file.reserve(file.size());
  if (!bytes)
    return Status::outOfMemory();
  const std::span<std::byte> content(bytes, file.size());
  Status status = file.read(0, content);
  if (!status.isOk())
    return std::move(status).withContext(context);
  StatusOr<PixelShape> shape = decodeImage(content, scratch.pixels);
  if (!shape)
    return std::move(shape).status().withContext(context);
  return shape;
}

/// A column of images. Each image is decoded when it is read.
class ImageSource : public ColumnSource {
public:
  ImageSource(SharedFiles files, PixelShape shape, bool isResized)
      : ColumnSource({DType::U8, {shape.height, shape.width, shape.channels}},
                     files->ends.back()),
        files(std::move(files)), shape(shape), isResized(isResized) {}

  Status read(int64_t row, std::byte *to, ReadScratch &scratch) const override {
    WEIR_ASSIGN_OR_RETURN(const PixelShape found,
                          decodeFile(files->path(row), scratch));
    const bool isAsLarge =
        found.height == shape.height && found.width == shape.width;
    if (!isAsLarge && !isResized)
      return dataLoss(fmt::format(
          "{} has {}x{} pixels, but the first image has {}x{}; resize "
          "all with :size=HEIGHTxWIDTH in the data",
          describe(row), found.height, found.width, shape.height, shape.width));
    const std::byte *pixels = scratch.pixels.data();
    if (isAsLarge) {
      convertChannels(pixels, found.channels, to, shape.channels,
                      found.height * found.width);
      return Status::ok();
    }
    const PixelShape converted{found.height, found.width, shape.channels};
    if (found.channels != shape.channels) {
      std::byte *memory = scratch.file.reserve(converted.bytes());
      if (!memory)
        return Status::outOfMemory();
      convertChannels(pixels, found.channels, memory, shape.channels,
                      found.height * found.width);
      pixels = memory;
    }
    return resizeImage(pixels, converted, to, shape.height, shape.width,
                       scratch.columns);
  }
  std::string describe(int64_t row) const override {
    return fmt::format("'{}'", printable(files->path(row)));
  }

private:
  SharedFiles files;
  PixelShape shape;
  bool isResized;
};

class LabelSource : public ColumnSource {
public:
  explicit LabelSource(SharedFiles files)
      : ColumnSource({DType::I64, {}}, files->ends.back()),
        files(std::move(files)) {}

  Status read(int64_t row, std::byte *to, ReadScratch &) const override {
    storeInt(DType::I64, to, 0, files->label(row));
    return Status::ok();
  }
  std::string describe(int64_t row) const override {
    return fmt::format("'{}'", printable(files->path(row)));
  }
  std::vector<std::string> classes() const override { return files->classes; }

private:
  SharedFiles files;
};

Status checkOptions(const ImageOptions &options) {
  if (options.height.has_value() != options.width.has_value())
    return invalidArgument("images expect both a height and a width, or none");
  if (options.height)
    WEIR_RETURN_IF_ERROR(checkPixels(*options.height, *options.width));
  if (options.channels != 0 && options.channels != 1 && options.channels != 3 &&
      options.channels != 4)
    return invalidArgument(
        fmt::format("images expect 1 (grey), 3 (RGB) or 4 (RGBA) channels, "
                    "found {}",
                    options.channels));
  return Status::ok();
}
} // namespace

StatusOr<Dataset> weir::openImages(const std::string &path,
                                   const ImageOptions &options) {
  WEIR_RETURN_IF_ERROR(checkOptions(options));
  WEIR_ASSIGN_OR_RETURN(ImageFiles found, findImages(path, options.classes));
  const auto files = std::make_shared<const ImageFiles>(std::move(found));
  PixelShape shape{options.height.value_or(0), options.width.value_or(0),
                   options.channels};
  if (!options.height || options.channels == 0) {
    ReadScratch scratch;
    WEIR_ASSIGN_OR_RETURN(const PixelShape first,
                          decodeFile(files->path(0), scratch));
    if (!options.height)
      shape.height = first.height, shape.width = first.width;
    // Images of grey with alpha become RGBA.
    if (options.channels == 0)
      shape.channels = first.channels == 2 ? 4 : first.channels;
  }
  return makeDataset(
      {"image", "label"},
      {std::make_shared<ImageSource>(files, shape, options.height.has_value()),
       std::make_shared<LabelSource>(files)});
}
