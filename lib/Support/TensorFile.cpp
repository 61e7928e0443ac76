//===- TensorFile.cpp - A tensor in a file of any known kind ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/TensorFile.h"

#include "weir/Support/NearNames.h"
#include "weir/Support/Npy.h"
#include "weir/Support/Printable.h"
#include "weir/Support/TensorProto.h"
#include "weir/Support/ZipFile.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

using namespace weir;

/// The names of the arrays in the .npz file `path`. Empty if `path` is not such
/// a file.
static std::vector<std::string> namesOfArrays(const std::string &path) {
  constexpr std::string_view ending = ".npy";
  std::vector<std::string> names;
  const StatusOr<DataBytes> file = DataBytes::open(path);
  if (!file)
    return names;
  const StatusOr<std::vector<ZipMember>> members = parseZip(*file);
  if (!members)
    return names;
  for (const ZipMember &member : *members)
    if (member.name.ends_with(ending))
      names.push_back(
          member.name.substr(0, member.name.size() - ending.size()));
  return names;
}

/// The error about an .npz file `path` where a single array is expected. The
/// error lists the arrays, and says how to write one of them to a file.
static Status refuseArchive(const std::string &path,
                            const std::vector<std::string> &names,
                            const std::string &meant) {
  const bool isThere = std::ranges::find(names, meant) != names.end();
  const std::string array = printable(isThere ? meant : names.front());
  return invalidArgument(fmt::format(
      "'{0}' is an .npz file with {1} {2}, expected one array (.npy); save the "
      "one that is meant, as in numpy.save('{3}.npy', "
      "numpy.load('{0}')['{3}'])",
      printable(path), names.size() == 1 ? "the array" : "the arrays",
      nearNames("", names), array));
}

StatusOr<HostTensor> weir::readTensorFile(const std::string &path) {
  if (path.ends_with(".pb"))
    return readTensorProto(path);
  StatusOr<HostTensor> tensor = readNpy(path);
  if (tensor)
    return tensor;
  if (const auto names = namesOfArrays(path); !names.empty())
    return refuseArchive(path, names, "");
  // Data options name an array as FILE.npz:ARRAY.
  const size_t colon = path.rfind(':');
  if (colon == path.npos)
    return tensor;
  const std::string file = path.substr(0, colon);
  if (const auto names = namesOfArrays(file); !names.empty())
    return refuseArchive(file, names, path.substr(colon + 1));
  return tensor;
}
