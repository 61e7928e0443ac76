//===- Blobs.cpp - The parameters of an artifact ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Blobs.h"

#include "weir/Artifact/Convert.h"
#include "weir/Dialect/Weir/IR/Initializers.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/Folding/ConstantData.h"
#include "weir/Dialect/Weir/Transforms/Folding/Folding.h"
#include "weir/Dialect/Weir/Transforms/Lifting/ParameterFiles.h"
#include "weir/Support/FileKind.h"
#include "weir/Support/FillBytes.h"
#include "weir/Support/Npy.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;
using namespace weir;

void BlobTable::setModule(ModuleOp module) { modules.emplace_back(module); }

/// Whether `derived` of the current module and `earlier` of the first module
/// read the same parameters. Both must be equal in all else.
bool BlobTable::derivesSame(DerivedOp derived, DerivedOp earlier) {
  auto reads = derived.getBlock().getOps<ReadOp>();
  auto earlierReads = earlier.getBlock().getOps<ReadOp>();
  SymbolTable &symbols = modules[0];
  return llvm::all_of(llvm::zip_equal(reads, earlierReads), [&](auto pair) {
    auto [read, earlierRead] = pair;
    return find(read.getParameterAttr()) ==
           symbols.lookup(earlierRead.getParameterAttr().getAttr());
  });
}

/// The symbol of the first module that is equal to `symbol` of the current
/// module. If there is none, the result is `symbol` itself.
Operation *BlobTable::findSame(Operation *symbol) {
  Operation *earlier = modules[0].lookup(SymbolTable::getSymbolName(symbol));
  if (!earlier || earlier == symbol ||
      !OperationEquivalence::isEquivalentTo(
          symbol, earlier, OperationEquivalence::IgnoreLocations))
    return symbol;
  auto derived = dyn_cast<DerivedOp>(symbol);
  return !derived || derivesSame(derived, cast<DerivedOp>(earlier)) ? earlier
                                                                    : symbol;
}

Operation *BlobTable::find(FlatSymbolRefAttr name) {
  Operation *symbol = modules.back().lookup(name.getAttr());
  if (auto it = firsts.find(symbol); it != firsts.end())
    return it->second;
  Operation *first = findSame(symbol);
  firsts[symbol] = first;
  return first;
}

/// Returns `name`. If another blob has that name, adds a number behind it.
std::string BlobTable::makeUnique(std::string name) {
  const std::string base = name;
  for (int number = 2; !names.insert(name).second; ++number)
    name = fmt::format("{} {}", base, number);
  return name;
}

FailureOr<uint32_t> BlobTable::get(FlatSymbolRefAttr name) {
  Operation *symbol = find(name);
  auto [known, isNew] =
      numbers.try_emplace(symbol, static_cast<uint32_t>(image.blobs.size()));
  if (!isNew)
    return known->second;
  const TensorDesc desc = toTensorDesc(cast<RankedTensorType>(
      symbol->getAttrOfType<TypeAttr>("type").getValue()));
  auto blob = std::make_unique<artifact::BlobT>();
  blob->name = makeUnique(name.getValue().str());
  blob->type = artifact::fromTensorDesc(desc);
  artifact::BlobBytes bytes;
  if (auto parameter = dyn_cast<ParameterOp>(symbol);
      parameter && parameter.getFill()) {
    blob->fill = artifact::fromFill(*parameter.getFill());
    blob->bytes = desc.spanBytes();
  } else {
    FailureOr<artifact::BlobBytes> found = read(symbol);
    if (failed(found))
      return failure();
    bytes = *found;
  }
  image.model.blobs.push_back(std::move(blob));
  image.blobs.push_back(bytes);
  return static_cast<uint32_t>(image.blobs.size() - 1);
}

uint32_t BlobTable::addCode(StringRef name, StringRef bytes) {
  auto blob = std::make_unique<artifact::BlobT>();
  // A parameter keeps its name, so the blob of the code must have another one.
  const std::string base = ("code for " + name).str();
  blob->name = base;
  for (int number = 2;
       names.contains(blob->name) || modules.back().lookup(blob->name);
       ++number)
    blob->name = fmt::format("{} {}", base, number);
  names.insert(blob->name);
  image.model.blobs.push_back(std::move(blob));
  const std::vector<char> &kept =
      image.values.emplace_back(bytes.begin(), bytes.end());
  image.blobs.push_back(std::as_bytes(std::span(kept)));
  return static_cast<uint32_t>(image.blobs.size() - 1);
}

FailureOr<artifact::BlobBytes> BlobTable::read(Operation *symbol) {
  if (auto it = known.find(symbol); it != known.end())
    return it->second;
  auto derived = dyn_cast<DerivedOp>(symbol);
  FailureOr<artifact::BlobBytes> bytes =
      derived ? derive(derived) : readParameter(cast<ParameterOp>(symbol));
  if (succeeded(bytes))
    known[symbol] = *bytes;
  return bytes;
}

FailureOr<artifact::BlobBytes> BlobTable::derive(DerivedOp derived) {
  auto getBytes = [&](Value value) -> FailureOr<TensorBytes> {
    auto bytes = read(find(value.getDefiningOp<ReadOp>().getParameterAttr()));
    if (failed(bytes))
      return failure();
    return TensorBytes(reinterpret_cast<const char *>(bytes->data()),
                       bytes->size());
  };
  auto results = evaluate(derived.getBlock(), getBytes);
  if (failed(results))
    return failure();
  const std::vector<char> &bytes =
      image.values.emplace_back(std::move(results->front()));
  return artifact::BlobBytes(std::as_bytes(std::span(bytes)));
}

/// The initial elements of `parameter`. They are random numbers that other
/// parameters are derived from, or an orthogonal matrix.
static std::vector<char> makeElements(ParameterOp parameter) {
  auto type = cast<RankedTensorType>(parameter.getType());
  const TensorDesc desc = toTensorDesc(type);
  std::vector<char> bytes(desc.spanBytes());
  if (!parameter.getFill()) {
    const auto initial = readInitializer(*parameter.getInitial(), type);
    const std::vector<double> elements =
        makeOrthogonal(std::get<OrthogonalFill>(*initial), type.getShape());
    for (auto [index, element] : llvm::enumerate(elements))
      storeFloat(desc.type, bytes.data(), static_cast<int64_t>(index), element);
    return bytes;
  }
  fillBytes(*parameter.getFill(), desc.type, 0,
            std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

FailureOr<artifact::BlobBytes> BlobTable::readParameter(ParameterOp parameter) {
  if (parameter.getOffset())
    return readAtOffset(parameter);
  if (parameter.getFile())
    return readFile(parameter);
  const bool isMade = parameter.getFill() || parameter.getInitial();
  if (!parameter.getValue() && !isMade) {
    InFlightDiagnostic error = parameter.emitOpError(
        "has neither a file nor a value to start with; add 'from "
        "\"FILE.safetensors\"'");
    // The usual initialisers of weights need at least two dims.
    if (cast<RankedTensorType>(parameter.getType()).getRank() < 2)
      return error << " or '= dense<...> : TYPE'";
    return error << ", '= dense<...>' or 'initial {name = \"glorot_uniform\", "
                    "seed = 1}'";
  }
  const std::vector<char> &bytes = image.values.emplace_back(
      isMade ? makeElements(parameter)
             : getConstantBytes(*parameter.getValue()));
  return artifact::BlobBytes(std::as_bytes(std::span(bytes)));
}

/// Lists the safetensors files in the folder of `path`, for an error.
static std::string listNeighbours(StringRef path) {
  StringRef folder = llvm::sys::path::parent_path(path);
  std::vector<std::string> found;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator
           it(folder.empty() ? "." : folder, error),
       end;
       !error && it != end; it.increment(error))
    if (llvm::sys::path::extension(it->path()) == ".safetensors")
      found.push_back(llvm::sys::path::filename(it->path()).str());
  llvm::sort(found);
  return found.empty()
             ? "there is no safetensors file in its folder"
             : fmt::format("its folder has {}", fmt::join(found, ", "));
}

FailureOr<const SafeTensors *> BlobTable::open(ParameterOp parameter) {
  const SafeTensors *&file = files[*parameter.getFile()];
  if (file)
    return file;
  const std::string path = getParameterPath(parameter);
  auto opened = SafeTensors::open(path);
  if (!opened) {
    InFlightDiagnostic error = parameter.emitOpError()
                               << opened.status().message();
    if (opened.status().code() == StatusCode::NotFound)
      error << "; " << listNeighbours(path);
    return error;
  }
  image.files.push_back(std::make_unique<SafeTensors>(*std::move(opened)));
  file = image.files.back().get();
  return file;
}

/// Checks the hash of the parameter's bytes. The file may have been replaced by
/// another version, which has other bytes in this place.
static FailureOr<artifact::BlobBytes> checkHash(ParameterOp parameter,
                                                artifact::BlobBytes bytes) {
  auto expected = parameter->getAttrOfType<StringAttr>(attrs::contentHash);
  if (!expected)
    return bytes;
  const std::string found = hashContent(bytes);
  if (expected == found)
    return bytes;
  InFlightDiagnostic error = parameter.emitOpError("expects bytes of hash ")
                             << expected.getValue();
  if (parameter.getOffset())
    error << " at offset " << *parameter.getOffset();
  return error
         << " of '" << *parameter.getFile() << "', found " << found
         << "; the file has changed, or is not the one from which the text was "
            "made: name that file, or import it again";
}

FailureOr<artifact::BlobBytes> BlobTable::readFile(ParameterOp parameter) {
  FailureOr<const SafeTensors *> file = open(parameter);
  if (failed(file))
    return failure();
  StringRef key = parameter.getKey().value_or(parameter.getSymName());
  auto tensor = (*file)->tensor(key);
  if (!tensor)
    return parameter.emitOpError("cannot be read from '")
           << *parameter.getFile() << "': " << tensor.status().message();
  TensorDesc expected =
      toTensorDesc(cast<RankedTensorType>(parameter.getType()));
  if (tensor->desc.type == expected.type && tensor->desc.dims == expected.dims)
    return checkHash(parameter, tensor->bytes);
  return parameter.emitOpError("expects tensor '")
         << key << "' of '" << *parameter.getFile() << "' to be "
         << expected.toString() << ", found " << tensor->desc.toString()
         << "; correct the declaration or the file";
}

FailureOr<const MappedFile *> BlobTable::map(ParameterOp parameter) {
  const MappedFile *&file = maps[*parameter.getFile()];
  if (file)
    return file;
  auto opened = MappedFile::open(getParameterPath(parameter));
  if (!opened)
    return parameter.emitOpError() << opened.status().message();
  image.maps.push_back(std::make_unique<MappedFile>(*std::move(opened)));
  file = image.maps.back().get();
  return file;
}

/// The number of bytes of the header at the beginning of a file of tensors. 0
/// for a file of another kind.
static uint64_t countHeaderBytes(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                              bytes.size());
  const std::optional<FileKind> kind = recogniseFile(text);
  if (kind == FileKind::SafeTensors)
    return sizeof(uint64_t) + llvm::support::endian::read64le(bytes.data());
  if (kind != FileKind::Numpy)
    return 0;
  const StatusOr<NpyLayout> layout = parseNpyLayout(bytes);
  return layout ? layout->begin : 0;
}

FailureOr<artifact::BlobBytes> BlobTable::readAtOffset(ParameterOp parameter) {
  FailureOr<const MappedFile *> file = map(parameter);
  if (failed(file))
    return failure();
  std::span<const std::byte> bytes = (*file)->bytes();
  uint64_t offset = *parameter.getOffset();
  size_t size =
      toTensorDesc(cast<RankedTensorType>(parameter.getType())).spanBytes();
  // The elements of a file without a header may look like a header. If this
  // header seems to be longer than the file, it is none.
  if (const uint64_t header = countHeaderBytes(bytes);
      offset < header && header <= bytes.size())
    return parameter.emitOpError("has the offset ")
           << offset << ", which is in the header of '" << *parameter.getFile()
           << "'; the elements of that file begin at byte " << header;
  if (offset <= bytes.size() && size <= bytes.size() - offset)
    return checkHash(parameter, bytes.subspan(offset, size));
  return parameter.emitOpError("expects ")
         << size << " bytes at offset " << offset << " of '"
         << *parameter.getFile() << "', which has " << bytes.size()
         << "; correct the declaration or the file";
}
