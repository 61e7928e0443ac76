//===- DeviceTable.cpp - The attribute that describes devices ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The one place that knows how a topology is written as an attribute.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirDialect.h"
#include "weir/Support/NearNames.h"
#include "weir/Support/Topology.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>
#include <set>

using namespace mlir;
using namespace weir;

namespace {
/// Reports what is wrong with a table.
using EmitError = llvm::function_ref<InFlightDiagnostic()>;

/// A key of a device or link, and the check of its value.
struct Key {
  StringLiteral name;
  LogicalResult (*check)(NamedAttribute fact, EmitError emitError);
};
} // namespace

/// The keys that the conversions use.
namespace keys {
static constexpr StringLiteral bytesPerSecond = "bytes_per_second";
static constexpr StringLiteral excludedKernels = "excluded_kernels";
static constexpr StringLiteral flops = "flops";
static constexpr StringLiteral from = "from";
static constexpr StringLiteral groups = "groups";
static constexpr StringLiteral isolated = "isolated";
static constexpr StringLiteral kernels = "kernels";
static constexpr StringLiteral latencySeconds = "latency_seconds";
static constexpr StringLiteral launchSeconds = "launch_seconds";
static constexpr StringLiteral memoryBytes = "memory_bytes";
static constexpr StringLiteral options = "options";
static constexpr StringLiteral shared = "shared";
static constexpr StringLiteral threads = "threads";
static constexpr StringLiteral to = "to";
} // namespace keys

/// What is stated about a device of a table.
static DictionaryAttr factsOf(NamedAttribute device) {
  return cast<DictionaryAttr>(device.getValue());
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static LogicalResult expected(EmitError emitError, NamedAttribute fact,
                              const llvm::Twine &what) {
  return emitError() << "expects '" << fact.getName().strref() << "' " << what
                     << ", found " << fact.getValue();
}

template <int64_t most>
static LogicalResult checkNumber(NamedAttribute fact, EmitError emitError) {
  auto number = dyn_cast<IntegerAttr>(fact.getValue());
  if (number && number.getType().isSignlessInteger(64) &&
      number.getInt() >= 0 && number.getInt() <= most)
    return success();
  return expected(emitError, fact, "from 0 to " + llvm::Twine(most));
}
static constexpr int64_t anyNumber = std::numeric_limits<int64_t>::max();

static bool isNumber(Attribute value, double least, double most) {
  auto number = dyn_cast<FloatAttr>(value);
  // NaN fails both comparisons.
  return number && number.getType().isF64() &&
         number.getValueAsDouble() >= least &&
         number.getValueAsDouble() <= most;
}

/// The limits are those of a topology file, which keep predicted times finite.
static LogicalResult checkRate(NamedAttribute fact, EmitError emitError) {
  if (isNumber(fact.getValue(), 1, 1e30))
    return success();
  return expected(emitError, fact, "from 1.0 to 1.0e30");
}

static LogicalResult checkSeconds(NamedAttribute fact, EmitError emitError) {
  if (isNumber(fact.getValue(), 0, 1e6))
    return success();
  return expected(emitError, fact, "from 0.0 to 1.0e6");
}

static LogicalResult checkUnit(NamedAttribute fact, EmitError emitError) {
  if (isa<UnitAttr>(fact.getValue()))
    return success();
  return expected(emitError, fact, "without a value");
}

static bool isText(Attribute value) {
  auto text = dyn_cast_or_null<StringAttr>(value);
  return text && !text.empty();
}

static LogicalResult checkText(NamedAttribute fact, EmitError emitError) {
  if (isText(fact.getValue()))
    return success();
  return expected(emitError, fact, "to be a text");
}

static LogicalResult checkTexts(NamedAttribute fact, EmitError emitError) {
  auto texts = dyn_cast<ArrayAttr>(fact.getValue());
  if (texts && llvm::all_of(texts, isText))
    return success();
  return expected(emitError, fact, "to be a list of texts");
}

static LogicalResult checkFlops(NamedAttribute fact, EmitError emitError) {
  auto rates = dyn_cast<DictionaryAttr>(fact.getValue());
  if (!rates)
    return expected(emitError, fact, "to be a dictionary of rates");
  for (NamedAttribute rate : rates) {
    if (!parseDType(rate.getName().strref()))
      return expected(emitError, fact, "to have element types as keys");
    if (failed(checkRate(rate, emitError)))
      return failure();
  }
  return success();
}

static LogicalResult checkOptions(NamedAttribute fact, EmitError emitError) {
  auto options = dyn_cast<DictionaryAttr>(fact.getValue());
  if (!options)
    return expected(emitError, fact, "to be a dictionary of texts");
  for (NamedAttribute option : options)
    if (!isa<StringAttr>(option.getValue()))
      return emitError() << "expects a text as option '"
                         << option.getName().strref() << "', found "
                         << option.getValue();
  return success();
}

static constexpr Key deviceKeys[] = {
    {keys::bytesPerSecond, checkRate},
    {keys::excludedKernels, checkTexts},
    {keys::flops, checkFlops},
    {keys::groups, checkNumber<anyNumber>},
    {keys::isolated, checkUnit},
    {keys::kernels, checkTexts},
    {keys::launchSeconds, checkSeconds},
    {keys::memoryBytes, checkNumber<anyNumber>},
    {keys::options, checkOptions},
    {keys::threads, checkNumber<maxDeviceThreads>}};

static constexpr Key linkKeys[] = {{keys::bytesPerSecond, checkRate},
                                   {keys::from, checkText},
                                   {keys::latencySeconds, checkSeconds},
                                   {keys::shared, checkText},
                                   {keys::to, checkText}};

static LogicalResult checkFacts(DictionaryAttr facts, ArrayRef<Key> known,
                                const llvm::Twine &owner, EmitError emitError) {
  for (NamedAttribute fact : facts) {
    StringRef name = fact.getName().strref();
    const Key *key = llvm::find_if(
        known, [&](const Key &each) { return each.name == name; });
    if (key == known.end()) {
      std::vector<std::string> names;
      for (const Key &each : known)
        names.push_back(each.name.str());
      return emitError() << owner << " has no key '" << name << "'; "
                         << offerNames(name, names, "keys");
    }
    if (failed(key->check(fact, emitError)))
      return failure();
  }
  return success();
}

static LogicalResult checkDevice(NamedAttribute device,
                                 std::set<DeviceName> &known,
                                 EmitError emitError) {
  StringRef text = device.getName().strref();
  StatusOr<DeviceName> name = parseDeviceName(text);
  if (!name)
    return emitError() << "lists device '" << text
                       << "': " << name.status().message();
  if (name->toString() != text)
    return emitError() << "lists device '" << text << "'; expected its name '"
                       << name->toString() << "'";
  if (!known.insert(*name).second)
    return emitError() << "lists device '" << text << "' twice";
  auto facts = dyn_cast<DictionaryAttr>(device.getValue());
  if (!facts)
    return emitError() << "expects a dictionary for device '" << text
                       << "', found " << device.getValue();
  if (facts.contains(keys::kernels) && facts.contains(keys::excludedKernels))
    return emitError() << "device '" << text << "' has both '" << keys::kernels
                       << "' and '" << keys::excludedKernels
                       << "'; expected only one of them";
  return checkFacts(facts, deviceKeys, "device '" + text + "'", emitError);
}

static LogicalResult
checkLink(DictionaryAttr link, const std::set<DeviceName> &devices,
          std::set<std::pair<DeviceName, DeviceName>> &known,
          EmitError emitError) {
  if (failed(checkFacts(link, linkKeys, "a link", emitError)))
    return failure();
  const StringLiteral endKeys[] = {keys::from, keys::to};
  DeviceName ends[2];
  for (auto [key, end] : llvm::zip(endKeys, ends)) {
    auto text = link.getAs<StringAttr>(key);
    if (!text)
      return emitError() << "expects '" << key << "' of each link";
    StatusOr<DeviceName> name = parseDeviceName(text.getValue());
    if (!name || !devices.contains(*name))
      return emitError() << "has a link of device " << text
                         << ", which it does not list";
    end = *name;
  }
  if (ends[0] == ends[1])
    return emitError() << "has a link from device '" << ends[0].toString()
                       << "' to itself";
  if (!known.insert({ends[0], ends[1]}).second)
    return emitError() << "has two links from '" << ends[0].toString()
                       << "' to '" << ends[1].toString() << "'";
  return success();
}

LogicalResult DeviceTableAttr::verify(EmitError emitError,
                                      ArrayRef<NamedAttribute> devices,
                                      ArrayRef<DictionaryAttr> links) {
  if (devices.empty() || devices.size() > maxDevices)
    return emitError() << "expects 1 to " << maxDevices << " devices, found "
                       << devices.size();
  std::set<DeviceName> names;
  for (NamedAttribute device : devices)
    if (failed(checkDevice(device, names, emitError)))
      return failure();
  const auto numCounted = llvm::count_if(devices, [](NamedAttribute device) {
    return factsOf(device).contains(keys::groups);
  });
  if (numCounted != 0 && static_cast<size_t>(numCounted) != devices.size())
    return emitError() << "has 'groups' of " << numCounted
                       << " devices and lists " << devices.size();
  std::set<std::pair<DeviceName, DeviceName>> known;
  for (DictionaryAttr link : links)
    if (failed(checkLink(link, names, known, emitError)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Topologies
//===----------------------------------------------------------------------===//

static ArrayAttr toTexts(Builder &builder,
                         const std::vector<std::string> &texts) {
  return builder.getStrArrayAttr(
      llvm::to_vector_of<StringRef>(ArrayRef(texts)));
}

static void addNumber(Builder &builder, StringRef key, uint64_t number,
                      NamedAttrList &facts) {
  if (number != 0)
    facts.append(key, builder.getI64IntegerAttr(static_cast<int64_t>(number)));
}

static void addNumber(Builder &builder, StringRef key, double number,
                      NamedAttrList &facts) {
  if (number != 0)
    facts.append(key, builder.getF64FloatAttr(number));
}

static DictionaryAttr toFacts(Builder &builder, const DeviceDesc &device) {
  NamedAttrList facts, flops, options;
  if (device.isIsolated)
    facts.append(keys::isolated, builder.getUnitAttr());
  addNumber(builder, keys::threads, uint64_t(device.threads), facts);
  addNumber(builder, keys::memoryBytes, device.memoryBytes, facts);
  for (int i = 0; i < numDTypes; ++i)
    addNumber(builder, toString(static_cast<DType>(i)),
              device.flopsPerSecond[i], flops);
  if (!flops.empty())
    facts.append(keys::flops, flops.getDictionary(builder.getContext()));
  addNumber(builder, keys::bytesPerSecond, device.bytesPerSecond, facts);
  addNumber(builder, keys::launchSeconds, device.launchSeconds, facts);
  if (device.kernels)
    facts.append(keys::kernels, toTexts(builder, *device.kernels));
  if (!device.excludedKernels.empty())
    facts.append(keys::excludedKernels,
                 toTexts(builder, device.excludedKernels));
  for (const auto &[name, value] : device.options)
    options.append(name, builder.getStringAttr(value));
  if (!options.empty())
    facts.append(keys::options, options.getDictionary(builder.getContext()));
  return facts.getDictionary(builder.getContext());
}

DeviceTableAttr DeviceTableAttr::get(MLIRContext *context,
                                     const Topology &topology) {
  Builder builder(context);
  SmallVector<NamedAttribute> devices;
  for (const DeviceDesc &device : topology.devices)
    devices.emplace_back(builder.getStringAttr(device.name.toString()),
                         toFacts(builder, device));
  SmallVector<DictionaryAttr> links;
  for (const auto &[ends, link] : topology.links) {
    NamedAttrList facts;
    facts.append(keys::from, builder.getStringAttr(ends.first.toString()));
    facts.append(keys::to, builder.getStringAttr(ends.second.toString()));
    addNumber(builder, keys::bytesPerSecond, link.bytesPerSecond, facts);
    addNumber(builder, keys::latencySeconds, link.latencySeconds, facts);
    if (!link.shared.empty())
      facts.append(keys::shared, builder.getStringAttr(link.shared));
    links.push_back(facts.getDictionary(context));
  }
  return get(context, devices, links);
}

static int64_t getInteger(DictionaryAttr facts, StringRef key) {
  auto number = facts.getAs<IntegerAttr>(key);
  return number ? number.getInt() : 0;
}

static double getDouble(DictionaryAttr facts, StringRef key) {
  auto number = facts.getAs<FloatAttr>(key);
  return number ? number.getValueAsDouble() : 0;
}

static std::string getText(DictionaryAttr facts, StringRef key) {
  auto text = facts.getAs<StringAttr>(key);
  return text ? text.str() : std::string();
}

static std::vector<std::string> getTexts(ArrayAttr list) {
  std::vector<std::string> texts;
  for (StringRef text : list.getAsValueRange<StringAttr>())
    texts.push_back(text.str());
  return texts;
}

static DeviceDesc toDevice(NamedAttribute device) {
  DictionaryAttr facts = factsOf(device);
  DeviceDesc out;
  out.name = *parseDeviceName(device.getName().strref());
  out.isIsolated = facts.contains(keys::isolated);
  out.threads = static_cast<uint32_t>(getInteger(facts, keys::threads));
  out.memoryBytes = static_cast<uint64_t>(getInteger(facts, keys::memoryBytes));
  if (auto flops = facts.getAs<DictionaryAttr>(keys::flops))
    for (NamedAttribute rate : flops) {
      const DType type = *parseDType(rate.getName().strref());
      out.flopsPerSecond[static_cast<int>(type)] =
          cast<FloatAttr>(rate.getValue()).getValueAsDouble();
    }
  out.bytesPerSecond = getDouble(facts, keys::bytesPerSecond);
  out.launchSeconds = getDouble(facts, keys::launchSeconds);
  if (auto kernels = facts.getAs<ArrayAttr>(keys::kernels))
    out.kernels = getTexts(kernels);
  if (auto excluded = facts.getAs<ArrayAttr>(keys::excludedKernels))
    out.excludedKernels = getTexts(excluded);
  if (auto options = facts.getAs<DictionaryAttr>(keys::options))
    for (NamedAttribute option : options)
      out.options.emplace(option.getName().str(),
                          cast<StringAttr>(option.getValue()).str());
  return out;
}

Topology DeviceTableAttr::toTopology() const {
  Topology topology;
  for (NamedAttribute device : getDevices())
    topology.devices.push_back(toDevice(device));
  for (DictionaryAttr link : getLinks()) {
    const DeviceName from = *parseDeviceName(getText(link, keys::from));
    const DeviceName to = *parseDeviceName(getText(link, keys::to));
    topology.links[{from, to}] = {
        .bytesPerSecond = getDouble(link, keys::bytesPerSecond),
        .latencySeconds = getDouble(link, keys::latencySeconds),
        .shared = getText(link, keys::shared)};
  }
  return topology;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

ArrayAttr DeviceTableAttr::getNames() const {
  SmallVector<Attribute> names;
  for (NamedAttribute device : getDevices())
    names.push_back(device.getName());
  return ArrayAttr::get(getContext(), names);
}

bool DeviceTableAttr::isIsolated(StringRef device) const {
  return llvm::any_of(getDevices(), [&](NamedAttribute each) {
    return each.getName() == device && factsOf(each).contains(keys::isolated);
  });
}

bool DeviceTableAttr::hasIsolated() const {
  return llvm::any_of(getDevices(), [](NamedAttribute device) {
    return factsOf(device).contains(keys::isolated);
  });
}

SmallVector<int64_t> DeviceTableAttr::getGroups() const {
  SmallVector<int64_t> groups;
  for (NamedAttribute device : getDevices())
    if (factsOf(device).contains(keys::groups))
      groups.push_back(getInteger(factsOf(device), keys::groups));
  return groups;
}

DeviceTableAttr DeviceTableAttr::withGroups(ArrayRef<int64_t> groups) const {
  Builder builder(getContext());
  SmallVector<NamedAttribute> devices(getDevices());
  for (auto [number, device] : llvm::enumerate(devices)) {
    NamedAttrList facts(factsOf(device));
    facts.erase(keys::groups);
    if (!groups.empty())
      facts.append(keys::groups, builder.getI64IntegerAttr(groups[number]));
    device.setValue(facts.getDictionary(getContext()));
  }
  return get(getContext(), devices, getLinks());
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static ParseResult parseDevice(AsmParser &parser,
                               SmallVectorImpl<NamedAttribute> &devices) {
  std::string name;
  Attribute facts;
  const SMLoc location = parser.getCurrentLocation();
  if (parser.parseString(&name))
    return failure();
  if (name.empty())
    return parser.emitError(location, "expected the name of a device");
  OptionalParseResult stated = parser.parseOptionalAttribute(facts);
  if (stated.has_value() && failed(*stated))
    return failure();
  if (!facts)
    facts = DictionaryAttr::get(parser.getContext());
  devices.emplace_back(parser.getBuilder().getStringAttr(name), facts);
  return success();
}

FailureOr<DeviceTableAttr> DeviceTableAttr::parseTable(AsmParser &parser) {
  SmallVector<NamedAttribute> devices;
  SmallVector<DictionaryAttr> links;
  const SMLoc location = parser.getCurrentLocation();
  auto parseLink = [&] { return parser.parseAttribute(links.emplace_back()); };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parseDevice(parser, devices);
      }))
    return failure();
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("links") || parser.parseEqual() ||
       parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseLink)))
    return failure();
  auto table =
      getChecked([&] { return parser.emitError(location); },
                 parser.getContext(), ArrayRef(devices), ArrayRef(links));
  if (!table)
    return failure();
  return table;
}

Attribute DeviceTableAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<DeviceTableAttr> table = parseTable(parser);
  if (failed(table) || parser.parseGreater())
    return {};
  return *table;
}

/// Prints `number` without its type, which follows from its key. Numbers of
/// many digits are printed in hexadecimal digits, and need the type.
static void printNumber(AsmPrinter &printer, Attribute number) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  number.print(stream, /*elideType=*/true);
  printer << text;
  if (StringRef(text).starts_with("0x"))
    printer << " : " << cast<TypedAttr>(number).getType();
}

static void printFacts(AsmPrinter &printer, DictionaryAttr facts) {
  auto printValue = [&](Attribute value) {
    if (isa<IntegerAttr, FloatAttr>(value))
      printNumber(printer, value);
    else if (auto inner = dyn_cast<DictionaryAttr>(value))
      printFacts(printer, inner);
    else
      printer.printAttribute(value);
  };
  printer << "{";
  llvm::interleaveComma(facts, printer.getStream(), [&](NamedAttribute fact) {
    printer.printKeywordOrString(fact.getName().strref());
    if (isa<UnitAttr>(fact.getValue()))
      return;
    printer << " = ";
    printValue(fact.getValue());
  });
  printer << "}";
}

void DeviceTableAttr::printTable(AsmPrinter &printer) const {
  printer << "[";
  llvm::interleaveComma(getDevices(), printer.getStream(),
                        [&](NamedAttribute device) {
                          printer.printAttributeWithoutType(device.getName());
                          if (factsOf(device).empty())
                            return;
                          printer << " ";
                          printFacts(printer, factsOf(device));
                        });
  printer << "]";
  if (getLinks().empty())
    return;
  printer << ", links = [";
  llvm::interleaveComma(
      getLinks(), printer.getStream(),
      [&](DictionaryAttr link) { printFacts(printer, link); });
  printer << "]";
}

void DeviceTableAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printTable(printer);
  printer << ">";
}
