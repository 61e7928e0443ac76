//===- ClusterRecord.cpp - A lowered cluster as bytes -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A record consists of a count, that many numbers, and the types of temporaries
// as text, one per line.
//
//===----------------------------------------------------------------------===//

#include "ClusterRecord.h"

#include "mlir/AsmParser/AsmParser.h"

#include <cstring>
#include <limits>
#include <vector>

using namespace mlir;
using namespace weir;

using Kind = ClusterBuffer::Kind;

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

static constexpr StringLiteral describingAttrs[] = {
    kernelattrs::tasks, kernelattrs::grain, kernelattrs::scratch};

static void packBuffers(ArrayRef<ClusterBuffer> buffers,
                        std::vector<int64_t> &numbers) {
  numbers.push_back(static_cast<int64_t>(buffers.size()));
  for (const ClusterBuffer &buffer : buffers) {
    numbers.push_back(static_cast<int64_t>(buffer.kind));
    numbers.push_back(buffer.index);
  }
}

std::string weir::packCluster(const LoweredCluster &lowered) {
  std::vector<int64_t> numbers = {
      static_cast<int64_t>(lowered.functions.size())};
  for (const KernelFunction &kernel : lowered.functions) {
    func::FuncOp function = kernel.function;
    for (StringRef name : describingAttrs)
      numbers.push_back(function->getAttrOfType<IntegerAttr>(name).getInt());
    numbers.push_back(kernel.points);
    packBuffers(kernel.reads, numbers);
    packBuffers(kernel.writes, numbers);
    llvm::append_range(numbers, kernel.overwrittenBy);
  }
  const uint64_t count = numbers.size();
  std::string bytes(reinterpret_cast<const char *>(&count), sizeof(count));
  bytes.append(reinterpret_cast<const char *>(numbers.data()),
               numbers.size() * sizeof(int64_t));
  llvm::raw_string_ostream text(bytes);
  for (RankedTensorType type : lowered.temporaries)
    text << type << '\n';
  return bytes;
}

//===----------------------------------------------------------------------===//
// Unpacking
//===----------------------------------------------------------------------===//

namespace {
/// The description of a kernel function whose body does not exist yet.
struct KernelRecord {
  int64_t attrs[std::size(describingAttrs)] = {};
  KernelFunction kernel;
};

/// Reads the numbers of a record. Errors are remembered.
class RecordReader {
public:
  RecordReader(std::string_view bytes, func::FuncOp cluster)
      : cluster(cluster) {
    uint64_t count = 0;
    if (bytes.size() < sizeof(count))
      return;
    std::memcpy(&count, bytes.data(), sizeof(count));
    bytes.remove_prefix(sizeof(count));
    if (count > bytes.size() / sizeof(int64_t))
      return;
    numbers.resize(count);
    std::memcpy(numbers.data(), bytes.data(), count * sizeof(int64_t));
    bytes.remove_prefix(count * sizeof(int64_t));
    isGood = readTypes(bytes);
  }

  std::vector<KernelRecord> readAll();
  bool isWhole() const { return isGood && next == numbers.size(); }

  SmallVector<RankedTensorType> temporaries;

private:
  bool readTypes(StringRef text);
  /// Reads a number, which must be from `least` to `most`.
  int64_t read(int64_t least, int64_t most);
  SmallVector<ClusterBuffer> readBuffers();
  KernelRecord readKernel();

  func::FuncOp cluster;
  std::vector<int64_t> numbers;
  size_t next = 0;
  bool isGood = false;
};
} // namespace

bool RecordReader::readTypes(StringRef text) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    auto type = dyn_cast_or_null<RankedTensorType>(
        parseType(line, cluster.getContext()));
    if (!type)
      return false;
    temporaries.push_back(type);
    text = rest;
  }
  return true;
}

int64_t RecordReader::read(int64_t least, int64_t most) {
  if (next < numbers.size() && numbers[next] >= least && numbers[next] <= most)
    return numbers[next++];
  isGood = false;
  return least;
}

SmallVector<ClusterBuffer> RecordReader::readBuffers() {
  FunctionType type = cluster.getFunctionType();
  const size_t counts[] = {type.getNumInputs(), type.getNumResults(),
                           temporaries.size()};
  SmallVector<ClusterBuffer> buffers;
  const int64_t size = read(0, static_cast<int64_t>(numbers.size()));
  for (int64_t i = 0; i < size && isGood; ++i) {
    const int64_t kind = read(0, static_cast<int64_t>(Kind::Temporary));
    const int64_t index = read(0, static_cast<int64_t>(counts[kind]) - 1);
    buffers.push_back({static_cast<Kind>(kind), static_cast<unsigned>(index)});
  }
  return buffers;
}

KernelRecord RecordReader::readKernel() {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  KernelRecord record;
  for (int64_t &value : record.attrs)
    value = read(0, most);
  record.kernel.points = read(0, most);
  record.kernel.reads = readBuffers();
  record.kernel.writes = readBuffers();
  const auto numWrites = static_cast<int64_t>(record.kernel.writes.size());
  for (size_t i = 0; i < record.kernel.reads.size() && isGood; ++i)
    record.kernel.overwrittenBy.push_back(read(-1, numWrites - 1));
  return record;
}

std::vector<KernelRecord> RecordReader::readAll() {
  std::vector<KernelRecord> records;
  const int64_t size = read(1, static_cast<int64_t>(numbers.size()));
  for (int64_t i = 0; i < size && isGood; ++i)
    records.push_back(readKernel());
  return records;
}

static func::FuncOp declare(const KernelRecord &record, StringRef name,
                            func::FuncOp cluster, ModuleOp kernels) {
  OpBuilder builder = OpBuilder::atBlockEnd(kernels.getBody());
  auto function = func::FuncOp::create(builder, cluster.getLoc(), name,
                                       builder.getFunctionType({}, {}));
  function.setPrivate();
  for (auto [attr, value] : llvm::zip(describingAttrs, record.attrs))
    function->setAttr(attr, builder.getI64IntegerAttr(value));
  const auto &overwrittenBy = record.kernel.overwrittenBy;
  if (llvm::any_of(overwrittenBy, [](int64_t n) { return n >= 0; }))
    function->setAttr(kernelattrs::overwrittenBy,
                      builder.getDenseI64ArrayAttr(overwrittenBy));
  return function;
}

std::optional<LoweredCluster> weir::unpackCluster(std::string_view bytes,
                                                  func::FuncOp cluster,
                                                  ModuleOp kernels) {
  RecordReader reader(bytes, cluster);
  std::vector<KernelRecord> records = reader.readAll();
  if (!reader.isWhole())
    return std::nullopt;
  LoweredCluster lowered;
  lowered.temporaries = std::move(reader.temporaries);
  for (KernelRecord &record : records) {
    const size_t number = lowered.functions.size();
    const std::string name = getKernelName(cluster.getSymName(), number);
    record.kernel.function = declare(record, name, cluster, kernels);
    lowered.functions.push_back(std::move(record.kernel));
  }
  return lowered;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

void weir::keepLowering(func::FuncOp cluster, const LoweredCluster &lowered) {
  cluster->setAttr(kernelattrs::lowered,
                   StringAttr::get(cluster.getContext(), packCluster(lowered)));
}

std::optional<LoweredCluster> weir::findLowering(func::FuncOp cluster,
                                                 ModuleOp kernels) {
  auto bytes = cluster->getAttrOfType<StringAttr>(kernelattrs::lowered);
  return bytes ? unpackCluster(bytes.getValue(), cluster, kernels)
               : std::nullopt;
}
