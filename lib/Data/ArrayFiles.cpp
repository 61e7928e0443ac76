//===- ArrayFiles.cpp - Datasets in .npy, .npz and IDX files --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ArraySource.h"
#include "DatasetState.h"
#include "Inflate.h"

#include "weir/Data/Sources.h"
#include "weir/Support/DataBytes.h"
#include "weir/Support/FileKind.h"
#include "weir/Support/NearNames.h"
#include "weir/Support/Npy.h"
#include "weir/Support/Printable.h"
#include "weir/Support/ZipFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

using namespace weir;

static_assert(std::endian::native == std::endian::little,
              "arrays that are not swapped are little-endian");

namespace {
using Source = std::shared_ptr<const ColumnSource>;
/// The maximum number of bytes of an array's header.
constexpr uint64_t maxHeaderBytes = uint64_t(1) << 20;

std::string_view asText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

std::string quoted(const std::string &path) {
  return fmt::format("'{}'", printable(path));
}

/// Describes a file of an unexpected kind: "it is a zip archive".
std::string describeOther(std::span<const std::byte> bytes) {
  if (bytes.empty())
    return "it is empty";
  if (std::optional<FileKind> kind = recogniseFile(asText(bytes)))
    return fmt::format("it is {}", describe(*kind));
  return "it begins in another way";
}

StatusOr<NpyLayout> npyLayout(std::span<const std::byte> beginning,
                              uint64_t bytes, const std::string &name) {
  StatusOr<NpyLayout> layout = parseNpyLayout(beginning, bytes);
  if (!layout)
    return std::move(layout).status().withContext(
        fmt::format("cannot read {}", name));
  return layout;
}

StatusOr<Source> npySource(const DataBytes &file, std::string name) {
  WEIR_ASSIGN_OR_RETURN(const std::vector<std::byte> beginning,
                        file.readFirst(maxHeaderBytes));
  WEIR_ASSIGN_OR_RETURN(const NpyLayout layout,
                        npyLayout(beginning, file.size(), name));
  return makeArraySource(file.part(layout.begin, file.size() - layout.begin),
                         layout, std::move(name));
}

/// The CRC-32 of the whole of `bytes`.
StatusOr<uint32_t> readCrc(const DataBytes &bytes) {
  constexpr uint64_t pieceBytes = uint64_t(1) << 20;
  uint32_t crc = 0;
  std::vector<std::byte> piece(std::min(pieceBytes, bytes.size()));
  for (uint64_t at = 0; at < bytes.size(); at += piece.size()) {
    piece.resize(std::min(pieceBytes, bytes.size() - at));
    WEIR_RETURN_IF_ERROR(bytes.read(at, piece));
    WEIR_ASSIGN_OR_RETURN(crc, crc32Of(piece, crc));
  }
  return crc;
}

/// The bytes of a member. Their checksum is checked.
StatusOr<DataBytes> openMember(const ZipMember &member) {
  DataBytes bytes = member.stored;
  if (member.isDeflated) {
    WEIR_ASSIGN_OR_RETURN(const std::vector<std::byte> packed,
                          member.stored.readAll());
    // The header is checked before the whole member is inflated.
    WEIR_ASSIGN_OR_RETURN(
        const SharedBytes beginning,
        inflateMemberBeginning(packed, std::min(maxHeaderBytes, member.size)));
    WEIR_RETURN_IF_ERROR(parseNpyLayout(*beginning, member.size).status());
    WEIR_ASSIGN_OR_RETURN(const SharedBytes inflated,
                          inflateMember(packed, member.size));
    bytes = DataBytes::inMemory(inflated, *inflated);
  }
  WEIR_ASSIGN_OR_RETURN(const uint32_t crc, readCrc(bytes));
  if (crc != member.crc)
    return dataLoss(fmt::format("its bytes are damaged: their CRC-32 is "
                                "{:08x}, but should be {:08x}",
                                crc, member.crc));
  return bytes;
}

/// The name of the array in a member; nothing if the member is not an array.
std::optional<std::string> arrayName(const ZipMember &member) {
  constexpr std::string_view ending = ".npy";
  if (!member.name.ends_with(ending))
    return std::nullopt;
  return member.name.substr(0, member.name.size() - ending.size());
}

/// Refuses an archive that is not an .npz file.
Status refuseOther(const std::vector<ZipMember> &all) {
  for (const ZipMember &member : all) {
    if (member.name == "xl/workbook.xml")
      return invalidArgument("it is a workbook of Excel (.xlsx); save its "
                             "sheet as CSV, and name that file");
    if (member.name == "data.pkl" || member.name.ends_with("/data.pkl"))
      return invalidArgument("it is a file of PyTorch (.pt); load it with "
                             "torch.load, and write its tensors with "
                             "numpy.savez");
    if (member.name == "model.weights.h5")
      return invalidArgument("it is a model of Keras (.keras), which has no "
                             "examples; name a file of arrays (.npz)");
  }
  return Status::ok();
}

/// The members of `all` that have the arrays `names`. If `names` is empty, all
/// members.
StatusOr<std::vector<const ZipMember *>>
chooseMembers(const std::vector<ZipMember> &all,
              const std::vector<std::string> &names) {
  WEIR_RETURN_IF_ERROR(refuseOther(all));
  std::vector<std::string> found;
  std::vector<const ZipMember *> chosen(names.size());
  for (const ZipMember &member : all) {
    const std::optional<std::string> name = arrayName(member);
    if (!name && names.empty())
      return invalidArgument(
          fmt::format("its member '{}' is no array (.npy); name the arrays to "
                      "read",
                      printable(member.name)));
    if (!name)
      continue;
    found.push_back(*name);
    if (names.empty())
      chosen.push_back(&member);
    for (size_t i = 0; i < names.size(); ++i)
      if (names[i] == *name && std::exchange(chosen[i], &member))
        return dataLoss(
            fmt::format("it has two arrays '{}'", printable(*name)));
  }
  for (size_t i = 0; i < names.size(); ++i)
    if (!chosen[i])
      return notFound(fmt::format("it has no array '{}'; it has {}",
                                  printable(names[i]),
                                  nearNames(names[i], found)));
  if (chosen.empty())
    return invalidArgument("it has no arrays");
  return chosen;
}

/// The element type that has the code `code` in IDX files.
std::optional<DType> idxType(std::byte code) {
  switch (static_cast<uint8_t>(code)) {
  case 0x08:
    return DType::U8;
  case 0x09:
    return DType::I8;
  case 0x0b:
    return DType::I16;
  case 0x0c:
    return DType::I32;
  case 0x0d:
    return DType::F32;
  case 0x0e:
    return DType::F64;
  default:
    return std::nullopt;
  }
}

/// The number of bytes before the dims of an IDX file: two zero bytes, the
/// type, and the number of dims.
constexpr size_t firstBytes = 4;

/// Whether `file` begins like an IDX file.
bool beginsIdx(std::span<const std::byte> file) {
  return file.size() >= firstBytes && file[0] == std::byte(0) &&
         file[1] == std::byte(0);
}

/// Parses the header of an IDX file. It has two zero bytes, the type, the
/// number of dims, and the dims. Dims and elements are big-endian. A dim has 4
/// bytes.
StatusOr<NpyLayout> parseIdx(std::span<const std::byte> file) {
  if (!beginsIdx(file))
    return invalidArgument(fmt::format(
        "expected an IDX file, which begins with two zero bytes; {}",
        describeOther(file)));
  const std::optional<DType> type = idxType(file[2]);
  if (!type)
    return invalidArgument(
        fmt::format("byte 2 of the IDX file is {:#04x}; expected a type, one "
                    "of 0x08, 0x09, 0x0b, 0x0c, 0x0d and 0x0e",
                    static_cast<unsigned>(file[2])));
  const auto rank = static_cast<size_t>(file[3]);
  if (file.size() < firstBytes * (rank + 1))
    return dataLoss(fmt::format("the IDX file is cut off: its header of {} "
                                "dims needs {} bytes, it has {}",
                                rank, firstBytes * (rank + 1), file.size()));
  NpyLayout layout;
  layout.type = *type;
  layout.isSwapped = true;
  layout.begin = firstBytes * (rank + 1);
  for (size_t i = 1; i <= rank; ++i) {
    uint32_t dim = 0;
    for (size_t byte = 0; byte < firstBytes; ++byte)
      dim = dim << 8 | static_cast<uint32_t>(file[firstBytes * i + byte]);
    layout.dims.push_back(dim);
  }
  return layout;
}

/// The number of bytes of an IDX file with the header `layout`.
StatusOr<uint64_t> idxBytes(const NpyLayout &layout) {
  WEIR_ASSIGN_OR_RETURN(const size_t bytes,
                        rowMajorBytes(layout.type, layout.dims));
  return layout.begin + bytes;
}

/// The content of the compressed IDX file `file`. At most as many bytes are
/// inflated as its header announces.
StatusOr<DataBytes> inflateIdx(const DataBytes &file) {
  WEIR_ASSIGN_OR_RETURN(const std::vector<std::byte> packed, file.readAll());
  WEIR_ASSIGN_OR_RETURN(const SharedBytes beginning,
                        inflateGzipBeginning(packed, maxHeaderBytes));
  if (!beginsIdx(*beginning))
    return invalidArgument(
        "it is compressed by gzip, and only IDX files are read so; unpack it "
        "with gunzip first");
  WEIR_ASSIGN_OR_RETURN(const NpyLayout layout, parseIdx(*beginning));
  WEIR_ASSIGN_OR_RETURN(const uint64_t bytes, idxBytes(layout));
  WEIR_ASSIGN_OR_RETURN(const SharedBytes inflated, inflateGzip(packed, bytes));
  return DataBytes::inMemory(inflated, *inflated);
}

/// The content of an IDX file, which may be compressed.
StatusOr<DataBytes> readIdx(const DataBytes &file) {
  WEIR_ASSIGN_OR_RETURN(const std::vector<std::byte> beginning,
                        file.readFirst(maxHeaderBytes));
  return recogniseFile(asText(beginning)) == FileKind::Gzip
             ? inflateIdx(file)
             : StatusOr<DataBytes>(file);
}

StatusOr<NpyLayout> idxLayout(const DataBytes &content) {
  WEIR_ASSIGN_OR_RETURN(const std::vector<std::byte> beginning,
                        content.readFirst(maxHeaderBytes));
  return parseIdx(beginning);
}
} // namespace

StatusOr<Dataset> weir::openNpy(const std::string &path,
                                const std::string &column) {
  WEIR_ASSIGN_OR_RETURN(const DataBytes file, DataBytes::open(path));
  WEIR_ASSIGN_OR_RETURN(Source source, npySource(file, quoted(path)));
  return makeDataset({column}, {std::move(source)});
}

StatusOr<Dataset> weir::openNpz(const std::string &path,
                                const std::vector<std::string> &members) {
  WEIR_ASSIGN_OR_RETURN(const DataBytes file, DataBytes::open(path));
  const std::string context = fmt::format("cannot read {}", quoted(path));
  WEIR_ASSIGN_OR_RETURN(const std::vector<std::byte> beginning,
                        file.readFirst(maxHeaderBytes));
  if (recogniseFile(asText(beginning)) != FileKind::Zip)
    return invalidArgument(
        fmt::format("{}: expected an .npz file, as numpy.savez writes it; {}",
                    context, describeOther(beginning)));
  StatusOr<std::vector<ZipMember>> all = parseZip(file);
  if (!all)
    return std::move(all).status().withContext(context);
  StatusOr<std::vector<const ZipMember *>> chosen =
      chooseMembers(*all, members);
  if (!chosen)
    return std::move(chosen).status().withContext(context);
  std::vector<std::string> names;
  std::vector<Source> sources;
  for (const ZipMember *member : *chosen) {
    names.push_back(*arrayName(*member));
    const std::string name =
        fmt::format("'{}:{}'", printable(path), printable(names.back()));
    auto opened = openMember(*member);
    if (!opened)
      return std::move(opened).status().withContext(
          fmt::format("cannot read {}", name));
    WEIR_ASSIGN_OR_RETURN(Source source, npySource(*opened, name));
    sources.push_back(std::move(source));
  }
  return makeDataset(std::move(names), std::move(sources));
}

StatusOr<Dataset> weir::openIdx(const std::string &path,
                                const std::string &column) {
  WEIR_ASSIGN_OR_RETURN(const DataBytes file, DataBytes::open(path));
  const std::string context = fmt::format("cannot read {}", quoted(path));
  StatusOr<DataBytes> content = readIdx(file);
  if (!content)
    return std::move(content).status().withContext(context);
  StatusOr<NpyLayout> layout = idxLayout(*content);
  if (!layout)
    return std::move(layout).status().withContext(context);
  WEIR_ASSIGN_OR_RETURN(
      Source source,
      makeArraySource(
          content->part(layout->begin, content->size() - layout->begin),
          *layout, quoted(path)));
  return makeDataset({column}, {std::move(source)});
}
