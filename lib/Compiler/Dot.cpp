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

#include <fmt/format.h>
#include <iterator>

using namespace mlir;
using namespace weir;

namespace {
/// Draws one entry.
class DotPrinter {
public:
  /// The names of all nodes begin with `prefix`.
  DotPrinter(func::FuncOp function, std::string prefix, llvm::raw_ostream &os)
      : function(function), prefix(std::move(prefix)), os(os) {
    auto module = function->getParentOfType<ModuleOp>();
    table = getDeviceTable(module);
    devices =
        table ? table.getNames() : ArrayAttr::get(module.getContext(), {});
  }

  void print();

private:
  void printPorts();
  void printDevices();
  const char *colourOf(StringAttr device) const;
  std::string describe(GroupOp group);
  int64_t parameterBytes(GroupOp group);
  std::string describeCrossing(CopyOp crossing) const;
  void printEdges();
  void printEdge(Value value, const llvm::Twine &reader);
  /// The node that computes `value`. Empty if `value` is not drawn.
  std::string nodeOf(Value value);
  bool isParameter(BlockArgument argument) {
    return function.getArgAttr(argument.getArgNumber(), attrs::parameter) !=
           nullptr;
  }

  func::FuncOp function;
  std::string prefix;
  llvm::raw_ostream &os;
  llvm::DenseMap<Operation *, unsigned> numbers;
  /// The devices of the module, and their names.
  DeviceTableAttr table;
  ArrayAttr devices;
};
} // namespace

/// `text` as a string in Graphviz's language, without control characters except
/// ends of lines.
static std::string quote(const llvm::Twine &text) {
  return ("\"" +
          llvm::Twine(llvm::DOT::EscapeString(printableLines(text.str()))) +
          "\"")
      .str();
}

/// The type as text, such as "1x8xf32", followed by the layout if there is one.
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

static int64_t bytesOf(Value value) {
  return static_cast<int64_t>(
      toTensorDesc(cast<RankedTensorType>(value.getType())).spanBytes());
}

/// The colour of `device`, which is the same in all entries. It is light, so
/// that text on it is legible.
const char *DotPrinter::colourOf(StringAttr device) const {
  static constexpr const char *colours[] = {"#dbe9f6", "#fde3c8", "#dcefd6",
                                            "#ead9ee", "#fbdcdc", "#ecead2",
                                            "#d5efee", "#e6e6e6"};
  const auto number = llvm::find(devices, device) - devices.begin();
  return colours[static_cast<size_t>(number) % std::size(colours)];
}

/// The seconds that `group` is predicted to take on its device. Nothing if the
/// group was not placed by predicted times.
static std::optional<double> predictedSeconds(GroupOp group) {
  auto placement = group->getAttrOfType<DictionaryAttr>(attrs::placement);
  auto seconds =
      placement ? placement.getAs<DictionaryAttr>("seconds") : nullptr;
  auto found =
      seconds ? seconds.getAs<FloatAttr>(group.getDeviceAttr()) : FloatAttr();
  return found ? std::optional(found.getValueAsDouble()) : std::nullopt;
}

/// The bytes of the parameters that `group` reads.
int64_t DotPrinter::parameterBytes(GroupOp group) {
  int64_t bytes = 0;
  for (Value input : group.getInputs()) {
    auto crossing = input.getDefiningOp<CopyOp>();
    auto argument =
        dyn_cast<BlockArgument>(crossing ? crossing.getInput() : input);
    if (argument && isParameter(argument))
      bytes += bytesOf(argument);
  }
  return bytes;
}

/// The name of `group`, its ops, and what is known of its cost.
std::string DotPrinter::describe(GroupOp group) {
  std::string ops;
  for (auto op : group.getBlock().getOps<WeirOpInterface>())
    ops += (ops.empty() ? "" : " + ") + op->getName().stripDialect().str();
  std::string text = getOpName(group).str() + "\n" + ops;
  if (const auto seconds = predictedSeconds(group))
    text += fmt::format("\n{:.3f} us", *seconds * 1e6);
  if (const int64_t bytes = parameterBytes(group))
    text += fmt::format("\n{} bytes of parameters", bytes);
  return text;
}

void DotPrinter::printDevices() {
  llvm::MapVector<StringAttr, SmallVector<GroupOp>> groups;
  for (auto group : function.getOps<GroupOp>()) {
    numbers[group] = static_cast<unsigned>(numbers.size());
    groups[group.getDeviceAttr()].push_back(group);
  }
  for (auto [number, device] : llvm::enumerate(groups)) {
    os << "  subgraph cluster" << prefix << number << " {\n"
       << "    label=" << quote(device.first.getValue()) << ";\n"
       << "    style=filled; color=\"" << colourOf(device.first) << "\";\n";
    for (GroupOp group : device.second)
      os << "    " << prefix << "group" << numbers[group]
         << " [label=" << quote(describe(group)) << "];\n";
    os << "  }\n";
  }
}

/// The label of a crossing: its number of bytes, and whether they are copied.
std::string DotPrinter::describeCrossing(CopyOp crossing) const {
  const bool isCopied = table.isIsolated(crossing.getFrom()) ||
                        table.isIsolated(crossing.getTo());
  return fmt::format("\n{} bytes{}", bytesOf(crossing.getResult()),
                     isCopied ? " copied" : " in shared memory");
}

void DotPrinter::printEdge(Value value, const llvm::Twine &reader) {
  auto crossing = value.getDefiningOp<CopyOp>();
  std::string from = nodeOf(crossing ? crossing.getInput() : value);
  if (from.empty())
    return;
  os << "  " << from << " -> " << reader << " [label="
     << quote(describeType(value) +
              (crossing ? describeCrossing(crossing) : std::string()))
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
     << "  node [shape=box, style=filled, fillcolor=white];\n";
  if (isOnly)
    DotPrinter(entries.front(), "", os).print();
  else
    printEntries(entries, os);
  os << "}\n";
}
