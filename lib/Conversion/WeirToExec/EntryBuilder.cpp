//===- EntryBuilder.cpp - Builds an exec.entry ------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "EntryBuilder.h"

#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Support/Topology.h"

using namespace mlir;
using namespace weir;

Place weir::wholeOf(Value buffer) {
  return {buffer, 0, exec::getStorage(buffer).getByteSize()};
}

uint64_t weir::spanBytes(Type type) {
  return toTensorDesc(cast<RankedTensorType>(type)).spanBytes();
}

exec::View weir::makePart(const exec::View &whole, ArrayRef<int64_t> dims,
                          int64_t offset, ArrayRef<int64_t> strides) {
  Type element = whole.type.getElementType();
  auto dense = RankedTensorType::get(dims, element);
  auto strided = RankedTensorType::get(
      dims, element, exec::StridesAttr::get(element.getContext(), strides));
  int64_t bytes = static_cast<int64_t>(byteSize(*toDType(element)));
  // A part without elements may begin after the last element of the whole.
  if (llvm::is_contained(dims, 0))
    offset = 0;
  return {whole.buffer, whole.byteOffset + offset * bytes,
          toTensorDesc(dense).strides == std::vector<int64_t>(strides)
              ? dense
              : strided};
}

EntryBuilder::EntryBuilder(exec::EntryOp entry)
    : entry(entry), devices(entry.getDevices().getNames()),
      declarations(entry.getContext()), commands(entry.getContext()) {
  declarations.setInsertionPointToEnd(&entry.getBlock());
  const Topology described = entry.getDevices().toTopology();
  for (auto [number, name] :
       llvm::enumerate(devices.getAsRange<StringAttr>())) {
    const DeviceDesc &device = described.devices[number];
    deviceNumbers[name] = number;
    if (device.name.kind->copiesItself)
      selfCopying.insert(name);
    if (device.isIsolated)
      isolated.insert(name);
  }
}

EntryBuilder::~EntryBuilder() {
  for (auto &[key, program] : programs)
    program.erase();
}

StringAttr EntryBuilder::getCopier(StringAttr writer, StringAttr reader) const {
  return selfCopying.contains(writer) && !selfCopying.contains(reader) ? writer
                                                                       : reader;
}

StringAttr EntryBuilder::getHostCopier() const {
  for (StringAttr device : devices.getAsRange<StringAttr>())
    if (!isIsolated(device))
      return device;
  return getFirstDevice();
}

Location EntryBuilder::nameLoc(StringRef name, Location where) {
  if (auto named = dyn_cast<NameLoc>(where))
    where = named.getChildLoc();
  return NameLoc::get(declarations.getStringAttr(name), where);
}

Value EntryBuilder::addScratch(StringRef name, Location where,
                               StringAttr device, uint64_t bytes) {
  return addBuffer<exec::ScratchOp>(name, where, bytes, device.getValue(),
                                    /*queue=*/exec::QueueRoleAttr(),
                                    /*offset=*/IntegerAttr());
}

Block &EntryBuilder::blockOf(StringAttr device, QueueRole queue) {
  exec::ProgramOp &program = programs[{deviceNumbers.at(device), queue}];
  if (!program) {
    OpBuilder detached(entry.getContext());
    program = exec::ProgramOp::create(detached, entry.getLoc(), device, queue);
    program.getBody().emplaceBlock();
  }
  return program.getBlock();
}

void EntryBuilder::addLaunch(LaunchOp launch, StringAttr device,
                             ArrayRef<exec::View> reads,
                             ArrayRef<exec::View> writes,
                             ArrayRef<int32_t> overwrites) {
  SmallVector<Value> readBuffers, writtenBuffers;
  SmallVector<int64_t> offsets;
  SmallVector<Attribute> types;
  auto add = [&](const exec::View &view, SmallVector<Value> &buffers) {
    buffers.push_back(view.buffer);
    offsets.push_back(view.byteOffset);
    types.push_back(TypeAttr::get(view.type));
  };
  for (const exec::View &view : reads)
    add(view, readBuffers);
  for (const exec::View &view : writes)
    add(view, writtenBuffers);
  commands.setInsertionPointToEnd(&blockOf(device, QueueRole::Compute));
  lastLaunch[device] = exec::LaunchOp::create(
      commands, launch.getLoc(), commands.getStringAttr(getOpName(launch)),
      launch.getKernelAttr(), readBuffers, writtenBuffers,
      commands.getDenseI64ArrayAttr(offsets), commands.getArrayAttr(types),
      /*steps=*/ArrayAttr(), launch.getConfig(), launch.getPostOpsAttr(),
      /*inside=*/ArrayAttr(), launch.getFlopsAttr(),
      commands.getDenseI32ArrayAttr(overwrites));
}

void EntryBuilder::addTensor(Location where, StringAttr device, StringAttr name,
                             const exec::View &view) {
  commands.setInsertionPointToEnd(&blockOf(device, QueueRole::Compute));
  exec::TensorOp::create(commands, where, numTensors++, name, view.buffer,
                         view.byteOffset, view.type);
}

void EntryBuilder::setInside(StringAttr device, ArrayAttr names) {
  if (exec::LaunchOp launch = lastLaunch.lookup(device))
    launch.setInsideAttr(names);
}

Operation *EntryBuilder::createCopy(const Copy &copy) {
  Location where = copy.from.buffer.getLoc();
  // An alias has the bytes of the source, so nothing is copied.
  if (copy.to.buffer.getDefiningOp<exec::AliasOp>())
    return exec::CopyOp::create(commands, where, copy.name, copy.isCrossing,
                                copy.from.buffer, copy.to.buffer,
                                /*from_offset=*/0, /*to_offset=*/0,
                                /*bytes=*/0);
  return exec::CopyOp::create(
      commands, where, copy.name, copy.isCrossing, copy.from.buffer,
      copy.to.buffer, copy.from.offset, copy.to.offset, copy.from.bytes);
}

bool EntryBuilder::leaves(const Copy &copy, StringAttr device) const {
  auto target = cast<exec::BufferOpInterface>(copy.to.buffer.getDefiningOp());
  return target.getDevice() != device.getValue();
}

void EntryBuilder::addCopy(StringAttr device, QueueRole queue,
                           const Copy &copy) {
  if (queue == QueueRole::CopyIn && selfCopying.contains(device) &&
      leaves(copy, device))
    queue = QueueRole::CopyOut;
  commands.setInsertionPointToEnd(&blockOf(device, queue));
  createCopy(copy);
}

void EntryBuilder::addJoinedCopy(StringAttr device, const Copy &copy,
                                 StringRef reason) {
  commands.setInsertionPointToEnd(&blockOf(device, QueueRole::Compute));
  createCopy(copy)->setAttr(exec::copiedAttr, commands.getStringAttr(reason));
}

void EntryBuilder::addEarlyCopy(StringAttr device, const Copy &copy) {
  Operation *&last = lastEarly[device];
  if (last)
    commands.setInsertionPointAfter(last);
  else
    commands.setInsertionPointToStart(&blockOf(device, QueueRole::CopyIn));
  last = createCopy(copy);
}

void EntryBuilder::addFill(StringAttr device, Location where,
                           const std::string &name, const Place &to) {
  commands.setInsertionPointToEnd(&blockOf(device, QueueRole::Compute));
  exec::FillOp::create(commands, where, name, to.buffer, to.offset, to.bytes);
}

void EntryBuilder::finish() {
  for (auto &[key, program] : programs)
    declarations.insert(program);
  programs.clear();
}
