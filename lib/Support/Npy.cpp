//===- Npy.cpp - Arrays in numpy's file format -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// numpy's documentation (numpy.lib.format) describes the format. A file is a
// magic, a version, a Python dict literal and the elements. The dict has the
// element type, the index order and the shape.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/Npy.h"

#include "weir/Support/Alignment.h"
#include "weir/Support/ElementWalk.h"
#include "weir/Support/FileKind.h"
#include "weir/Support/MappedFile.h"
#include "weir/Support/OutputFile.h"
#include "weir/Support/Printable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

using namespace weir;

namespace {
constexpr std::string_view magic = "\x93NUMPY";
constexpr size_t maxNpyRank = 32;

struct ElementRow {
  std::string_view code;
  DType type;
};
constexpr ElementRow elementRows[] = {
    {"f4", DType::F32}, {"f2", DType::F16}, {"f8", DType::F64},
    {"i1", DType::I8},  {"u1", DType::U8},  {"i2", DType::I16},
    {"i4", DType::I32}, {"i8", DType::I64}, {"b1", DType::I1},
    {"u2", DType::U16}, {"u4", DType::U32}, {"u8", DType::U64}};

/// Reads the dict literal of the header. Only the forms that numpy writes are
/// supported.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}
  StatusOr<NpyLayout> parse();

private:
  Status parseEntry();
  Status parseDescr();
  Status parseFortranOrder();
  Status parseShape();
  StatusOr<std::string_view> parseString();
  bool consume(std::string_view token);
  Status malformed(std::string_view expected) const {
    return dataLoss(fmt::format("the npy header is malformed: expected {} at "
                                "its character {}",
                                expected, position));
  }

  std::string_view text;
  size_t position = 0;
  NpyLayout header;
  bool hasDescr = false, hasOrder = false, hasShape = false;
};
} // namespace

bool HeaderParser::consume(std::string_view token) {
  position = std::min(text.find_first_not_of(" \t\r\n", position), text.size());
  if (text.substr(position, token.size()) != token)
    return false;
  position += token.size();
  return true;
}

StatusOr<NpyLayout> HeaderParser::parse() {
  if (!consume("{"))
    return malformed("'{'");
  while (!consume("}")) {
    WEIR_RETURN_IF_ERROR(parseEntry());
    if (consume(","))
      continue;
    if (!consume("}"))
      return malformed("',' or '}'");
    break;
  }
  consume("");
  if (position != text.size())
    return malformed("the end");
  if (!hasDescr || !hasOrder || !hasShape)
    return dataLoss("the npy header lacks one of 'descr', 'fortran_order' and "
                    "'shape'");
  return std::move(header);
}

Status HeaderParser::parseEntry() {
  WEIR_ASSIGN_OR_RETURN(std::string_view key, parseString());
  if (!consume(":"))
    return malformed("':'");
  bool *isSeen = key == "descr"           ? &hasDescr
                 : key == "fortran_order" ? &hasOrder
                 : key == "shape"         ? &hasShape
                                          : nullptr;
  if (!isSeen || std::exchange(*isSeen, true))
    return malformed("'descr', 'fortran_order' and 'shape', each once,");
  if (isSeen == &hasDescr)
    return parseDescr();
  return isSeen == &hasOrder ? parseFortranOrder() : parseShape();
}

StatusOr<std::string_view> HeaderParser::parseString() {
  std::string_view quote = consume("'") ? "'" : "\"";
  if (quote == "\"" && !consume("\""))
    return malformed("a string");
  size_t end = text.find(quote, position);
  if (end == std::string_view::npos)
    return malformed("a closed string");
  std::string_view value = text.substr(position, end - position);
  position = end + 1;
  return value;
}

Status HeaderParser::parseDescr() {
  if (consume("["))
    return unimplemented("the npy file has a structured element type; save its "
                         "fields as files of their own");
  WEIR_ASSIGN_OR_RETURN(std::string_view descr, parseString());
  char order = descr.empty() ? '?' : descr.front();
  if (std::string_view("<>|=").find(order) == std::string_view::npos)
    return malformed("a byte order '<', '>', '|' or '='");
  header.isSwapped = order == '>';
  for (const ElementRow &row : elementRows)
    if (row.code == descr.substr(1)) {
      header.type = row.type;
      return Status::ok();
    }
  std::vector<std::string_view> names;
  for (const ElementRow &row : elementRows)
    names.push_back(row.code);
  return unimplemented(
      fmt::format("the npy file has elements of numpy type '{}'; Weir reads {}",
                  descr.substr(0, 32), fmt::join(names, ", ")));
}

Status HeaderParser::parseFortranOrder() {
  header.isFortranOrder = consume("True");
  if (!header.isFortranOrder && !consume("False"))
    return malformed("True or False");
  return Status::ok();
}

Status HeaderParser::parseShape() {
  if (!consume("("))
    return malformed("'('");
  while (!consume(")")) {
    consume("");
    if (header.dims.size() == maxNpyRank)
      return malformed(fmt::format("at most {} dims", maxNpyRank));
    int64_t dim = 0;
    auto [end, error] =
        std::from_chars(text.data() + position, text.data() + text.size(), dim);
    if (error != std::errc() || dim < 0)
      return malformed("a dim from 0 to 9223372036854775807 or ')'");
    position = static_cast<size_t>(end - text.data());
    header.dims.push_back(dim);
    consume("L"); // Python 2 wrote long integers with an L.
    if (consume(","))
      continue;
    // In Python, "(2)" is a number, and "(2,)" is a tuple of one number.
    if (header.dims.size() == 1)
      return malformed("',' after the only dim");
    if (!consume(")"))
      return malformed("',' or ')'");
    break;
  }
  return Status::ok();
}

namespace {
/// Describes `text`, the beginning of a file that is not an .npy file.
std::string describeForeign(std::string_view text) {
  if (std::optional<FileKind> kind = recogniseFile(text))
    return fmt::format("it is {}", describe(*kind));
  return text.empty() ? "it is empty" : "it does not begin with '\\x93NUMPY'";
}

/// The text of the header. The elements come after it.
StatusOr<std::string_view> findHeader(std::string_view text) {
  if (!text.starts_with(magic))
    return invalidArgument(
        fmt::format("not an npy file: {}; save the array with numpy.save",
                    describeForeign(text)));
  constexpr size_t versionEnd = magic.size() + 2;
  auto byteAt = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  if (text.size() <= versionEnd + 4)
    return dataLoss("the npy file is cut off in its header");
  unsigned major = byteAt(magic.size());
  if (major < 1 || major > 3)
    return unimplemented(fmt::format("the npy file has format version {}; Weir "
                                     "reads 1 to 3",
                                     major));
  size_t begin = versionEnd + (major == 1 ? 2 : 4);
  size_t bytes = 0;
  for (size_t i = begin; i-- > versionEnd;)
    bytes = bytes << 8 | byteAt(i);
  if (bytes > text.size() - begin)
    return dataLoss("the npy file is cut off in its header");
  return text.substr(begin, bytes);
}

/// Copies elements from Fortran's index order to row-major order in `to`.
void transpose(const NpyLayout &header, const std::byte *from, std::byte *to) {
  size_t elementBytes = byteSize(header.type);
  std::vector<int64_t> strides;
  int64_t numElements = 1;
  for (int64_t dim : header.dims) {
    strides.push_back(numElements);
    numElements *= dim;
  }
  for (ElementWalk walk(header.dims, strides); !walk.atEnd(); walk.next()) {
    std::memcpy(to, from + walk.offset() * elementBytes, elementBytes);
    to += elementBytes;
  }
}

void normalize(const NpyLayout &header, std::span<std::byte> bytes) {
  size_t elementBytes = byteSize(header.type);
  if (header.isSwapped && elementBytes > 1)
    for (size_t i = 0; i < bytes.size(); i += elementBytes)
      std::reverse(bytes.begin() + i, bytes.begin() + i + elementBytes);
  // In numpy, any byte except 0 is true. Weir stores 1.
  if (header.type == DType::I1)
    for (std::byte &value : bytes)
      value = std::byte(value != std::byte(0));
}

std::string headerText(const TensorDesc &desc) {
  auto row = std::find_if(
      std::begin(elementRows), std::end(elementRows),
      [&](const ElementRow &row) { return row.type == desc.type; });
  std::string dict = fmt::format(
      "{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}",
      byteSize(desc.type) > 1 ? '<' : '|', row->code,
      fmt::join(desc.dims, ", "), desc.rank() == 1 ? "," : "");
  // The elements begin at a multiple of 64.
  constexpr size_t alignment = 64;
  size_t preamble = magic.size() + 4;
  size_t end = alignTo(preamble + dict.size() + 1, alignment);
  dict.resize(end - preamble - 1, ' ');
  dict += '\n';
  return dict;
}
} // namespace

StatusOr<NpyLayout> weir::parseNpyLayout(std::span<const std::byte> file) {
  return parseNpyLayout(file, file.size());
}

StatusOr<NpyLayout> weir::parseNpyLayout(std::span<const std::byte> file,
                                         uint64_t fileBytes) {
  const std::string_view text(reinterpret_cast<const char *>(file.data()),
                              file.size());
  WEIR_ASSIGN_OR_RETURN(std::string_view dict, findHeader(text));
  WEIR_ASSIGN_OR_RETURN(NpyLayout header, HeaderParser(dict).parse());
  WEIR_ASSIGN_OR_RETURN(size_t bytes, rowMajorBytes(header.type, header.dims));
  header.begin = static_cast<size_t>(dict.data() - text.data()) + dict.size();
  const uint64_t found = fileBytes - header.begin;
  if (found != bytes)
    return dataLoss(fmt::format(
        "the npy file is {}: its shape [{}] of {} needs "
        "{} bytes, it has {}",
        found < bytes ? "cut off" : "too long", fmt::join(header.dims, ","),
        toString(header.type), bytes, found));
  return header;
}

StatusOr<HostTensor> weir::parseNpy(std::span<const std::byte> file) {
  WEIR_ASSIGN_OR_RETURN(NpyLayout header, parseNpyLayout(file));
  const std::span<const std::byte> elements = file.subspan(header.begin);
  WEIR_ASSIGN_OR_RETURN(HostTensor tensor,
                        HostTensor::copyOf(header.type, header.dims, elements));
  if (header.isFortranOrder && !elements.empty())
    transpose(header, elements.data(), tensor.bytes().data());
  normalize(header, tensor.bytes());
  return tensor;
}

StatusOr<HostTensor> weir::readNpy(const std::string &path) {
  WEIR_ASSIGN_OR_RETURN(MappedFile file, MappedFile::read(path));
  StatusOr<HostTensor> tensor = parseNpy(file.bytes());
  if (!tensor)
    return std::move(tensor).status().withContext(
        fmt::format("cannot read '{}'", printable(path)));
  return tensor;
}

Status weir::writeNpy(const std::string &path, const TensorDesc &desc,
                      std::span<const std::byte> bytes) {
  assert(desc.isRowMajor() && bytes.size() == desc.spanBytes() &&
         "npy files are written from dense tensors");
  if (desc.type == DType::BF16) {
    WEIR_ASSIGN_OR_RETURN(HostTensor wide,
                          HostTensor::zeros(DType::F32, desc.dims));
    for (int64_t i = 0; i < desc.numElements(); ++i)
      storeFloat(DType::F32, wide.data(), i,
                 loadFloat(DType::BF16, bytes.data(), i));
    return writeNpy(path, wide.desc(), wide.bytes());
  }
  std::string dict = headerText(desc);
  std::string header(magic);
  header += {'\x01', '\x00', static_cast<char>(dict.size() & 0xff),
             static_cast<char>(dict.size() >> 8)};
  header += dict;
  WEIR_ASSIGN_OR_RETURN(OutputFile file, OutputFile::create(path));
  WEIR_RETURN_IF_ERROR(file.write(std::as_bytes(std::span(header))));
  WEIR_RETURN_IF_ERROR(file.write(bytes));
  return file.commit();
}
