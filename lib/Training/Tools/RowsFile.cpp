//===- RowsFile.cpp - Outputs for each example, in a file -----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "RowsFile.h"

#include "weir/Support/Npy.h"
#include "weir/Support/Printable.h"

#include <fmt/format.h>
#include <iterator>

using namespace weir;

StatusOr<RowsFile> RowsFile::create(const std::string &path,
                                    const std::string &name, DType type,
                                    std::vector<int64_t> dims) {
  RowsFile file(path, type, std::move(dims));
  if (path.ends_with(".npy")) {
    WEIR_RETURN_IF_ERROR(checkWritable(path));
    return file;
  }
  WEIR_ASSIGN_OR_RETURN(OutputFile text, OutputFile::create(path));
  file.text.emplace(std::move(text));
  WEIR_RETURN_IF_ERROR(file.writeHeader(name));
  return file;
}

int64_t RowsFile::rowElements() const {
  int64_t elements = 1;
  for (const int64_t dim : dims)
    elements *= dim;
  return elements;
}

/// `text` as a field of a CSV file.
static std::string toField(std::string text) {
  if (text.find_first_of(",\"\r\n") == text.npos)
    return text;
  for (size_t at = text.find('"'); at != text.npos; at = text.find('"', at + 2))
    text.insert(at, 1, '"');
  return '"' + text + '"';
}

Status RowsFile::writeHeader(const std::string &name) {
  std::string line;
  for (int64_t i = 0; i < rowElements(); ++i)
    line += (i > 0 ? "," : "") +
            toField(dims.empty() ? name : fmt::format("{}_{}", name, i));
  line += '\n';
  return text->write(std::as_bytes(std::span(line)));
}

/// Appends element `index` with all its digits.
static void appendElement(std::string &line, DType type, const void *data,
                          int64_t index) {
  auto out = std::back_inserter(line);
  if (type == DType::F64)
    fmt::format_to(out, "{}", loadFloat(type, data, index));
  else if (isFloat(type))
    fmt::format_to(out, "{}", static_cast<float>(loadFloat(type, data, index)));
  else if (type == DType::U64)
    fmt::format_to(out, "{}",
                   static_cast<uint64_t>(loadInt(type, data, index)));
  else
    fmt::format_to(out, "{}", loadInt(type, data, index));
}

Status RowsFile::add(const HostTensor &tensor, int64_t count) {
  numRows += count;
  const int64_t elements = rowElements();
  if (!text) {
    const auto bytes = tensor.bytes().first(
        static_cast<size_t>(count * elements) * byteSize(type));
    array.insert(array.end(), bytes.begin(), bytes.end());
    return Status::ok();
  }
  std::string lines;
  for (int64_t i = 0; i < count * elements; ++i) {
    appendElement(lines, type, tensor.data(), i);
    lines += (i + 1) % elements == 0 ? '\n' : ',';
  }
  return text->write(std::as_bytes(std::span(lines)));
}

Status RowsFile::commit() {
  if (text)
    return text->commit();
  std::vector<int64_t> all = dims;
  all.insert(all.begin(), numRows);
  return writeNpy(path, TensorDesc::rowMajor(type, all), array);
}
