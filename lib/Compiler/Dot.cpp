//===- Dot.cpp - Draws a partitioned graph -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Compiler/Dot.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Support/Printable.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/GraphWriter.h"

using namespace mlir;
using namespace weir;

namespace {
/// Draws one entry.
class DotPrinter {
public:
  /// The names of all nodes begin with `prefix`.
  DotPrinter(func::FuncOp function, std::string prefix, llvm::raw_ostream &os)
      : function(function), prefix(std::move(prefix)), os(os) {}

  void print();

private:
  void printPorts();
  void printDevices();
  void printGroup(GroupOp group);
  void printEdges();
  void printEdge(Value value, const llvm::Twine &reader);
  /// The node that computes `value`; empty if it is not drawn.
  std::string nodeOf(Value value);
  bool isParameter(BlockArgument argument) {
    return function.getArgAttr(argument.getArgNumber(), attrs::parameter) !=
           nullptr;
  }

  func::FuncOp function;
  std::string prefix;
  llvm::raw_ostream &os;
  llvm::DenseMap<Operation *, unsigned> numbers;
};
} // namespace

/// `text` as a string in Graphviz's language. Like other reports, it has no
/// control characters except ends of lines.
static std::string quote(const llvm::Twine &text) {
  return ("\"" +
          llvm::Twine(llvm::DOT::EscapeString(printableLines(text.str()))) +
          "\"")
      .str();
}

/// "1x8xf32", followed by the layout if there is one.
static std::string describeType(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int64_t dim : type.getShape())
    os << dim << 'x';
  os << type.getElementType();
  if (auto layout = dyn_cast_or_null<LayoutAttr>(type.getEncoding())) {
    os << " layout ";
    llvm::interleave(layout.getOrder(), os, ",");
  }
  return text;
}

std::string DotPrinter::nodeOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isParameter(argument)
               ? ""
               : (prefix + "in" + llvm::Twine(argument.getArgNumber())).str();
  auto number = numbers.find(value.getDefiningOp());
  return number == numbers.end()
             ? ""
             : (prefix + "group" + llvm::Twine(number->second)).str();
}

void DotPrinter::printPorts() {
  for (BlockArgument input : function.getArguments())
    if (!isParameter(input))
      os << "  " << prefix << "in" << input.getArgNumber()
         << " [shape=ellipse, label=" << quote(getValueName(input)) << "];\n";
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    auto name = function.getResultAttrOfType<StringAttr>(i, attrs::name);
    auto assigned =
        function.getResultAttrOfType<FlatSymbolRefAttr>(i, attrs::assigns);
    os << "  " << prefix << "out" << i << " [shape=ellipse, label="
       << quote(assigned ? "@" + assigned.getValue()
                         : llvm::Twine(name ? name.getValue() : ""))
       << "];\n";
  }
}

void DotPrinter::printGroup(GroupOp group) {
  std::string ops;
  for (auto op : group.getBlock().getOps<WeirOpInterface>())
    ops += (ops.empty() ? "" : " + ") + op->getName().stripDialect().str();
  os << "    " << prefix << "group" << numbers[group]
     << " [label=" << quote(getOpName(group) + "\n" + ops) << "];\n";
}

void DotPrinter::printDevices() {
  llvm::MapVector<StringAttr, SmallVector<GroupOp>> devices;
  for (auto group : function.getOps<GroupOp>()) {
    numbers[group] = static_cast<unsigned>(numbers.size());
    devices[group.getDeviceAttr()].push_back(group);
  }
  for (auto [number, device] : llvm::enumerate(devices)) {
    os << "  subgraph cluster" << prefix << number << " {\n"
       << "    label=" << quote(device.first.getValue()) << ";\n";
    for (GroupOp group : device.second)
      printGroup(group);
    os << "  }\n";
  }
}

void DotPrinter::printEdge(Value value, const llvm::Twine &reader) {
  auto crossing = value.getDefiningOp<CopyOp>();
  std::string from = nodeOf(crossing ? crossing.getInput() : value);
  if (from.empty())
    return;
  os << "  " << from << " -> " << reader
     << " [label=" << quote(describeType(value))
     << (crossing ? ", style=dashed" : "") << "];\n";
}

void DotPrinter::printEdges() {
  for (auto group : function.getOps<GroupOp>())
    for (Value input : group.getInputs())
      printEdge(input, prefix + "group" + llvm::Twine(numbers[group]));
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands()))
    printEdge(value, prefix + "out" + llvm::Twine(index));
}

void DotPrinter::print() {
  printPorts();
  printDevices();
  printEdges();
}

/// Prints several entries as boxes in one graph.
static void printEntries(ArrayRef<func::FuncOp> entries,
                         llvm::raw_ostream &os) {
  for (auto [number, each] : llvm::enumerate(entries)) {
    func::FuncOp entry = each;
    const std::string prefix = ("entry" + llvm::Twine(number) + "_").str();
    os << "  subgraph cluster" << prefix << " {\n"
       << "  label=" << quote(entry.getName()) << ";\n";
    DotPrinter(entry, prefix, os).print();
    os << "  }\n";
  }
}

void weir::printDot(ModuleOp module, llvm::raw_ostream &os) {
  auto entries = llvm::to_vector(module.getOps<func::FuncOp>());
  const bool isOnly = entries.size() == 1;
  os << "digraph " << quote(isOnly ? entries.front().getName() : "entries")
     << " {\n"
     << "  node [shape=box];\n";
  if (isOnly)
    DotPrinter(entries.front(), "", os).print();
  else
    printEntries(entries, os);
  os << "}\n";
}
