//===- SafeTensors.cpp - Named tensors in a safetensors file -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A file is the size of the header in eight bytes, the header as JSON, and the
// bytes of the tensors. The header is read event by event. A document tree of a
// hostile header could take a hundred times the memory of the header.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/SafeTensors.h"

#include "weir/Support/Alignment.h"
#include "weir/Support/Counted.h"
#include "weir/Support/FileKind.h"
#include "weir/Support/HostTensor.h"
#include "weir/Support/JsonText.h"
#include "weir/Support/NearNames.h"
#include "weir/Support/OutputFile.h"
#include "weir/Support/Printable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <set>
#include <utility>

using namespace weir;
using nlohmann::json;

namespace {
/// The largest header, as in the reference implementation.
constexpr uint64_t maxHeaderBytes = 100'000'000;
constexpr size_t maxRank = 32;
constexpr std::string_view metadataKey = "__metadata__";

constexpr std::string_view typeNames[numDTypes] = {
    "F32", "F16", "BF16", "F64", "I8",  "U8", "I16",
    "I32", "I64", "BOOL", "U16", "U32", "U64"};

std::optional<DType> parseTypeName(std::string_view name) {
  auto *row = std::find(std::begin(typeNames), std::end(typeNames), name);
  if (row == std::end(typeNames))
    return std::nullopt;
  return static_cast<DType>(row - std::begin(typeNames));
}

struct RawEntry {
  std::string typeName;
  std::vector<uint64_t> dims;
  std::vector<uint64_t> offsets;
  bool hasType = false, hasShape = false, hasOffsets = false;
};

/// Receives the JSON events of a header. An event that the format does not
/// allow ends the parse.
class HeaderEvents : public nlohmann::json_sax<json> {
public:
  std::map<std::string, RawEntry, std::less<>> entries;
  std::map<std::string, std::string> texts;
  std::string problem;

  bool key(std::string &text) override;
  bool string(std::string &text) override;
  bool number_unsigned(uint64_t value) override;
  bool start_object(size_t) override;
  bool end_object() override;
  bool start_array(size_t) override;
  bool end_array() override;
  bool null() override { return fail("null"); }
  bool boolean(bool) override { return fail("a truth value"); }
  bool number_integer(int64_t) override { return fail("a negative number"); }
  bool number_float(double, const std::string &text) override {
    const bool isWhole = text.find_first_not_of("0123456789") == text.npos;
    return fail(isWhole ? "a number of more than 64 bits"
                        : "a number that is not an integer");
  }
  bool binary(json::binary_t &) override { return fail("binary data"); }
  bool parse_error(size_t position, const std::string &,
                   const json::exception &) override {
    problem = fmt::format("it is not valid JSON at character {}", position);
    return false;
  }

private:
  enum class Place { Outside, Root, Metadata, Tensor, Shape, Offsets };

  bool fail(std::string_view what) {
    problem = current.empty() ? fmt::format("{} is not expected there", what)
                              : fmt::format("{} is not expected in '{}'", what,
                                            current.substr(0, 64));
    return false;
  }
  /// Sets `flag`. It is an error if `flag` is already set.
  bool first(bool &flag) {
    return !std::exchange(flag, true) || fail("a second value of one key");
  }

  Place place = Place::Outside;
  /// The tensor or the metadata key whose value is being read.
  std::string current;
  /// The key inside of the tensor.
  std::string field;
  RawEntry *entry = nullptr;
};
} // namespace

bool HeaderEvents::key(std::string &text) {
  if (place == Place::Tensor) {
    field = text;
    return true;
  }
  current = text;
  if (place == Place::Metadata)
    return true;
  if (!entries.count(text))
    return true;
  problem = fmt::format("tensor '{}' occurs twice", text.substr(0, 64));
  return false;
}

bool HeaderEvents::start_object(size_t) {
  if (place == Place::Outside)
    place = Place::Root;
  else if (place == Place::Root && current == metadataKey)
    place = Place::Metadata;
  else if (place == Place::Root) {
    place = Place::Tensor;
    entry = &entries[current];
  } else
    return fail("an object");
  return true;
}

bool HeaderEvents::end_object() {
  if (place == Place::Tensor &&
      (!entry->hasType || !entry->hasShape || !entry->hasOffsets)) {
    problem = fmt::format("'{}' lacks dtype, shape or data_offsets",
                          current.substr(0, 64));
    return false;
  }
  place = place == Place::Root ? Place::Outside : Place::Root;
  return true;
}

bool HeaderEvents::start_array(size_t) {
  if (place == Place::Tensor && field == "shape") {
    place = Place::Shape;
    return first(entry->hasShape);
  }
  if (place == Place::Tensor && field == "data_offsets") {
    place = Place::Offsets;
    return first(entry->hasOffsets);
  }
  return fail("a list");
}

bool HeaderEvents::end_array() {
  if (place == Place::Offsets && entry->offsets.size() != 2) {
    problem = fmt::format("data_offsets of '{}' has {}, expected 2",
                          current.substr(0, 64),
                          counted(entry->offsets.size(), "number"));
    return false;
  }
  place = Place::Tensor;
  return true;
}

bool HeaderEvents::number_unsigned(uint64_t value) {
  if (place != Place::Shape && place != Place::Offsets)
    return fail("a number");
  auto &list = place == Place::Shape ? entry->dims : entry->offsets;
  if (list.size() == maxRank) {
    problem =
        fmt::format("'{}' has more than {} {}", current.substr(0, 64), maxRank,
                    place == Place::Shape ? "dims" : "data_offsets");
    return false;
  }
  list.push_back(value);
  return true;
}

bool HeaderEvents::string(std::string &text) {
  if (place == Place::Metadata) {
    texts[current] = text;
    return true;
  }
  if (place != Place::Tensor || field != "dtype")
    return fail("a string");
  entry->typeName = text;
  return first(entry->hasType);
}

namespace {
StatusOr<SafeTensors::Entry> makeEntry(const std::string &name, RawEntry raw,
                                       uint64_t dataBegin, uint64_t dataBytes) {
  auto [begin, end] = std::pair(raw.offsets[0], raw.offsets[1]);
  if (begin > end || end > dataBytes)
    return dataLoss(fmt::format("its data_offsets [{}, {}] exceed the {} bytes "
                                "of data",
                                begin, end, dataBytes));
  SafeTensors::Entry entry{name, raw.typeName,      parseTypeName(raw.typeName),
                           {},   dataBegin + begin, end - begin};
  for (uint64_t dim : raw.dims) {
    if (dim > INT64_MAX)
      return dataLoss(fmt::format("its dim {} is too large", dim));
    entry.dims.push_back(static_cast<int64_t>(dim));
  }
  if (!entry.type)
    return entry;
  WEIR_ASSIGN_OR_RETURN(size_t bytes, rowMajorBytes(*entry.type, entry.dims));
  if (bytes != end - begin)
    return dataLoss(fmt::format("its shape [{}] of {} needs {} bytes, its "
                                "data_offsets give {}",
                                fmt::join(entry.dims, ","), entry.typeName,
                                bytes, end - begin));
  return entry;
}

/// Checks that the tensors cover the data without gaps or overlaps.
Status checkCoverage(std::vector<std::pair<uint64_t, uint64_t>> ranges,
                     uint64_t dataBytes) {
  std::sort(ranges.begin(), ranges.end());
  uint64_t end = 0;
  for (auto [first, last] : ranges) {
    if (first != end)
      return dataLoss(fmt::format("tensors {} at byte {} of the data",
                                  first < end ? "overlap" : "leave a gap",
                                  std::min(first, end)));
    end = last;
  }
  if (end != dataBytes)
    return dataLoss(fmt::format("the tensors have {} bytes, the file has {}",
                                end, dataBytes));
  return Status::ok();
}
} // namespace

Status SafeTensors::parseHeader(std::string_view header, uint64_t dataBegin,
                                uint64_t dataBytes) {
  HeaderEvents events;
  if (!json::sax_parse(header, &events))
    return dataLoss(
        fmt::format("the safetensors header is malformed: {}", events.problem));
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (auto &[name, raw] : events.entries) {
    ranges.emplace_back(raw.offsets[0], raw.offsets[1]);
    auto entry = makeEntry(name, std::move(raw), dataBegin, dataBytes);
    if (!entry)
      return std::move(entry).status().withContext(
          fmt::format("tensor '{}'", name.substr(0, 64)));
    tensors.emplace(name, *std::move(entry));
  }
  texts = std::move(events.texts);
  return checkCoverage(std::move(ranges), dataBytes);
}

static bool isText(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char c) {
    return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t';
  });
}

/// Parses the header of a file of `fileBytes` bytes. `file` has all of these
/// bytes, or at least the header.
Status SafeTensors::parse(uint64_t fileBytes) {
  const std::span<const std::byte> bytes = file.bytes();
  const std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                              bytes.size());
  uint64_t headerBytes = 0;
  if (bytes.size() < sizeof(headerBytes))
    return invalidArgument("not a safetensors file: it is shorter than 8 "
                           "bytes; copy or save it again");
  std::memcpy(&headerBytes, bytes.data(), sizeof(headerBytes));
  const uint64_t rest = fileBytes - sizeof(headerBytes);
  if (headerBytes > maxHeaderBytes || headerBytes > rest) {
    std::optional<FileKind> kind = recogniseFile(text);
    if (kind && kind != FileKind::SafeTensors)
      return invalidArgument(
          fmt::format("not a safetensors file: it is {}; save "
                      "the tensors with safetensors",
                      describe(*kind)));
    if (looksLikeONNX(text))
      return invalidArgument(
          "not a safetensors file: it is an ONNX model; save "
          "the values of its initialisers with safetensors");
    // Eight characters of text are never the size of a header.
    if (isText(text.substr(0, sizeof(headerBytes))))
      return invalidArgument("not a safetensors file: it begins as a text "
                             "does; save the tensors with safetensors");
    return dataLoss(fmt::format(
        "not a safetensors file, or cut off: its first 8 bytes announce a "
        "header of {} bytes, {} follow, and at most {} are allowed; copy or "
        "save it again",
        headerBytes, rest, maxHeaderBytes));
  }
  Status parsed =
      parseHeader(text.substr(sizeof(headerBytes), headerBytes),
                  sizeof(headerBytes) + headerBytes, rest - headerBytes);
  if (!parsed.isOk())
    return Status(parsed.code(),
                  fmt::format("{}; copy or save it again", parsed.message()));
  return parsed;
}

StatusOr<SafeTensors> SafeTensors::load(MappedFile mapped) {
  SafeTensors result(std::move(mapped));
  const std::span<const std::byte> bytes = result.file.bytes();
  WEIR_RETURN_IF_ERROR(result.parse(bytes.size()));
  for (auto &[name, entry] : result.tensors)
    entry.bytes = bytes.subspan(entry.begin, entry.size);
  return result;
}

static std::string reading(const std::string &path) {
  return fmt::format("cannot read '{}'", printable(path));
}

StatusOr<SafeTensors> SafeTensors::open(const std::string &path) {
  WEIR_ASSIGN_OR_RETURN(MappedFile file, MappedFile::open(path));
  StatusOr<SafeTensors> result = load(std::move(file));
  if (!result)
    return std::move(result).status().withContext(reading(path));
  return result;
}

/// Reads the header of `file`, and at least the first 4096 bytes. These show
/// which kind of file it is if it is not a safetensors file.
static StatusOr<MappedFile> readFront(const RegularFile &file) {
  constexpr uint64_t few = 4096;
  uint64_t headerBytes = 0;
  if (file.size() >= sizeof(headerBytes))
    WEIR_RETURN_IF_ERROR(
        file.read(0, std::as_writable_bytes(std::span(&headerBytes, 1))));
  const uint64_t end =
      std::min(headerBytes, maxHeaderBytes) + sizeof(headerBytes);
  WEIR_ASSIGN_OR_RETURN(
      MappedFile front,
      MappedFile::zeros(std::min(file.size(), std::max(few, end))));
  WEIR_RETURN_IF_ERROR(file.read(0, front.writable()));
  return front;
}

/// Reads a tensor into memory of its own.
StatusOr<std::span<const std::byte>>
SafeTensors::Unread::fetch(const Entry &entry) const {
  auto held = memory.find(entry.name);
  if (held == memory.end()) {
    WEIR_ASSIGN_OR_RETURN(MappedFile made, MappedFile::zeros(entry.size));
    held = memory.emplace(entry.name, std::move(made)).first;
  }
  WEIR_RETURN_IF_ERROR(file.read(entry.begin, held->second.writable()));
  return held->second.bytes();
}

StatusOr<SafeTensors> SafeTensors::read(const std::string &path) {
  if (path == "-")
    return open(path);
  WEIR_ASSIGN_OR_RETURN(RegularFile file, RegularFile::open(path));
  auto front = readFront(file);
  if (!front)
    return std::move(front).status().withContext(reading(path));
  SafeTensors result(*std::move(front));
  WEIR_RETURN_IF_ERROR(result.parse(file.size()).withContext(reading(path)));
  result.unread = Unread{std::move(file), path};
  return result;
}

StatusOr<SafeTensors> SafeTensors::fromBytes(std::span<const std::byte> bytes) {
  WEIR_ASSIGN_OR_RETURN(MappedFile file, MappedFile::copyOf(bytes));
  return load(std::move(file));
}

StatusOr<TensorDesc> SafeTensors::desc(std::string_view name) const {
  auto it = tensors.find(name);
  if (it == tensors.end()) {
    std::vector<std::string> names;
    for (const auto &[known, entry] : tensors)
      names.emplace_back(known);
    return notFound(fmt::format("no tensor '{}' in the safetensors file; {}",
                                name, offerNames(name, names, "tensors")));
  }
  const Entry &entry = it->second;
  if (!entry.type)
    return unimplemented(fmt::format("tensor '{}' has element type {}; Weir "
                                     "reads {}",
                                     name, entry.typeName,
                                     fmt::join(typeNames, ", ")));
  return TensorDesc::rowMajor(*entry.type, entry.dims);
}

StatusOr<NamedTensor> SafeTensors::tensor(std::string_view name) const {
  WEIR_ASSIGN_OR_RETURN(TensorDesc type, desc(name));
  const Entry &entry = tensors.find(name)->second;
  if (!unread)
    return NamedTensor{entry.name, std::move(type), entry.bytes};
  // An empty tensor needs an address that is not null.
  if (entry.size == 0)
    return NamedTensor{entry.name, std::move(type), file.bytes().first(0)};
  const auto bytes = unread->fetch(entry);
  if (!bytes)
    return Status(bytes.status()).withContext(reading(unread->path));
  return NamedTensor{entry.name, std::move(type), *bytes};
}

namespace {
bool isUtf8(const std::string &text) {
  // `dump` drops invalid bytes, which makes the text shorter.
  std::string kept =
      json(text).dump(-1, ' ', false, json::error_handler_t::ignore);
  json parsed = json::parse(kept, nullptr, /*allow_exceptions=*/false);
  return parsed.is_string() && parsed.get_ref<const std::string &>() == text;
}

/// Whether `a` comes before `b` in a file. As in the reference implementation,
/// tensors with large elements come first. So every tensor is aligned to its
/// elements.
bool comesBefore(const NamedTensor &a, const NamedTensor &b) {
  size_t bytesA = byteSize(a.desc.type), bytesB = byteSize(b.desc.type);
  return bytesA != bytesB ? bytesA > bytesB : a.name < b.name;
}

/// The size of the header, and the header. The header is padded so that the
/// data begins at a multiple of 64.
std::string makeHeader(const std::vector<NamedTensor> &tensors,
                       const std::map<std::string, std::string> &metadata) {
  nlohmann::ordered_json root = nlohmann::ordered_json::object();
  if (!metadata.empty())
    root[std::string(metadataKey)] = metadata;
  uint64_t offset = 0;
  for (const NamedTensor &tensor : tensors) {
    auto &entry = root[tensor.name];
    entry["dtype"] = typeNames[static_cast<size_t>(tensor.desc.type)];
    entry["shape"] = tensor.desc.dims;
    entry["data_offsets"] = {offset, offset + tensor.bytes.size()};
    offset += tensor.bytes.size();
  }
  constexpr size_t alignment = 64;
  std::string text = toJsonText(root);
  uint64_t size = text.size() + sizeof(size);
  size = alignTo(size, alignment) - sizeof(size);
  text.resize(size, ' ');
  return std::string(reinterpret_cast<const char *>(&size), sizeof(size)) +
         text;
}
} // namespace

Status
weir::writeSafeTensors(const std::string &path,
                       std::vector<NamedTensor> tensors,
                       const std::map<std::string, std::string> &metadata) {
  std::sort(tensors.begin(), tensors.end(), comesBefore);
  std::set<std::string_view> seen;
  for (const NamedTensor &tensor : tensors) {
    assert(tensor.desc.isRowMajor() &&
           tensor.bytes.size() == tensor.desc.spanBytes() &&
           "safetensors files are written from dense tensors");
    if (tensor.name == metadataKey || !isUtf8(tensor.name) ||
        !seen.insert(tensor.name).second)
      return invalidArgument(fmt::format(
          "cannot write '{}': a tensor cannot be named '{}'; names are valid "
          "UTF-8, used once, and not '{}'",
          path, tensor.name, metadataKey));
  }
  std::string header = makeHeader(tensors, metadata);
  WEIR_ASSIGN_OR_RETURN(OutputFile file, OutputFile::create(path));
  WEIR_RETURN_IF_ERROR(file.write(std::as_bytes(std::span(header))));
  for (const NamedTensor &tensor : tensors)
    WEIR_RETURN_IF_ERROR(file.write(tensor.bytes));
  return file.commit();
}
