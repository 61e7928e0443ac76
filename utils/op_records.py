"""The op records of include/weir/Dialect/Weir/IR/Ops, read through llvm-tblgen.

`read_records` gives what generators and references are made from; a record that
contradicts itself is a `RecordError`, which names the record and the repair.
"""
import json
import pathlib
import re
import subprocess
from dataclasses import dataclass, field

OPS = "include/weir/Dialect/Weir/IR/Ops"
DTYPES = {"f32", "f16", "bf16", "f64", "i8", "u8", "i16", "u16", "i32", "u32",
          "i64", "u64", "i1"}
# Attribute kinds by the TableGen class or record that stands for them.
ATTRIBUTE_KINDS = {
    "I64ArrayAttr": "i64 array", "I64Attr": "i64", "F64Attr": "f64",
    "BoolAttr": "bool", "StrAttr": "string", "TypeAttr": "element type",
}


class RecordError(Exception):
    """A record that contradicts itself."""


@dataclass
class Operand:
    name: str
    is_optional: bool = False
    is_variadic: bool = False


@dataclass
class Attribute:
    """`kind` is one of ATTRIBUTE_KINDS' values, else TableGen's summary;
    `default` is C++ text, or None where a value must be given."""
    name: str
    kind: str
    default: str | None = None
    is_optional: bool = False


@dataclass
class KernelRow:
    device: str
    kernel: str
    types: list[str]
    params: list[str]
    post_ops: bool


@dataclass
class OpRecord:
    """An op; what follows `results` is empty for ops of structure."""
    name: str
    mnemonic: str
    family: str
    line: int
    summary: str
    description: str
    operands: list[Operand]
    attributes: list[Attribute]
    results: list[Operand]
    assembly: str = ""
    is_computing: bool = False
    is_internal: bool = False
    index_spec: str = ""
    type_spec: str = ""
    expression: str = ""
    combiner: str = "None"
    is_composite: bool = False
    is_view: bool = False
    precision: str = ""
    kernels: list[KernelRow] = field(default_factory=list)

    @property
    def place(self):
        return f"{OPS}/{self.family}.td:{self.line}"


def dump_records(root: pathlib.Path, llvm: pathlib.Path):
    """What llvm-tblgen knows after all op families, as its JSON."""
    families = sorted(path.name for path in (root / OPS).glob("*.td"))
    text = "".join(f'include "weir/Dialect/Weir/IR/Ops/{family}"\n'
                   for family in families)
    command = [llvm / "bin" / "llvm-tblgen", "--dump-json",
               "-I", root / "include", "-I", llvm / "include", "-"]
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE,
                          check=True, text=True)
    return json.loads(done.stdout)


def dedent(text):
    """A TableGen code block without its margin."""
    lines = text.strip("\n").rstrip().split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in lines
                  if line.strip()), default=0)
    return "\n".join(line[margin:].rstrip() for line in lines).strip("\n")


def is_a(record, name):
    return record["!name"] == name or name in record["!superclasses"]


def read_operand(record, name):
    return Operand(name, is_a(record, "Optional"), is_a(record, "Variadic"))


def attribute_kind(records, record):
    """The kind of the attribute without its default or its optionality."""
    while record["!name"] not in ATTRIBUTE_KINDS:
        base = record.get("baseAttr")
        if not base:
            return record["summary"] or record["!name"]
        record = records[base["def"]]
    return ATTRIBUTE_KINDS[record["!name"]]


def read_attribute(records, record, name):
    return Attribute(name, attribute_kind(records, record),
                     record["defaultValue"], is_a(record, "OptionalAttr"))


def read_arguments(records, dag):
    """The dag's operands and its attributes."""
    operands, attributes = [], []
    for value, name in dag["args"]:
        record = records[value["def"]]
        if is_a(record, "AttrConstraint"):
            attributes.append(read_attribute(records, record, name))
        else:
            operands.append(read_operand(record, name))
    return operands, attributes


def overrides(records, record, method):
    """Whether the op defines the interface method in its family's file."""
    traits = (records[trait["def"]] for trait in record["traits"])
    return any(method in trait.get("alwaysOverriddenMethods", [])
               for trait in traits)


def read_kernel(record):
    return KernelRow(record["device"], record["kernel"], record["types"],
                     record["params"], bool(record["postOps"]))


def read_record(records, record):
    family, line = record["!locs"][0].rsplit(":", 1)
    operands, attributes = read_arguments(records, record["arguments"])
    op = OpRecord(
        record["!name"], record["opName"], family.removesuffix(".td"),
        int(line), record["summary"].strip(), dedent(record["description"]),
        operands, attributes,
        [read_operand(records[value["def"]], name)
         for value, name in record["results"]["args"]])
    op.assembly = dedent(record.get("assemblyFormat") or "")
    if is_a(record, "Weir_Op"):
        op.is_computing = True
        op.is_internal = bool(record["isInternal"])
        op.index_spec, op.type_spec = record["indexSpec"], record["typeSpec"]
        op.expression, op.combiner = record["expression"], record["combiner"]
        op.is_composite = bool(record["body"])
        op.precision = record["precision"]
        op.is_view = overrides(records, record, "isReinterpretation")
        op.kernels = [read_kernel(records[row["def"]])
                      for row in record["kernels"]]
    return op


#===----------------------------------------------------------------------===#
# What a record may say
#===----------------------------------------------------------------------===#

def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


def check_operands(op):
    if not op.summary:
        yield "has no summary; describe it in one line"
    loose = [operand.name for operand in op.operands
             if operand.is_optional or operand.is_variadic]
    if loose and loose != [op.operands[-1].name]:
        yield (f"only the last operand may be optional or variadic, found "
               f"{', '.join(loose)}")
    if op.expression and not op.index_spec:
        yield "has an expression but no index spec; a leaf needs both"
    terms = op.index_spec.split("->")[0].split(",")
    if op.index_spec and len(terms) != len(op.operands):
        yield (f"index spec '{op.index_spec}' has {len(terms)} operand terms, "
               f"the op {len(op.operands)} operands")


def check_types(op):
    operands, arrow, results = op.type_spec.partition("->")
    entries = operands.split(",")
    # A variadic operand may have several entries.
    is_variadic = any(operand.is_variadic for operand in op.operands)
    if not arrow or (len(entries) not in (1, len(op.operands))
                     and not is_variadic):
        yield (f"type spec '{op.type_spec}' needs one operand entry or "
               f"{len(op.operands)}, and a result")
    names = {attribute.name for attribute in op.attributes}
    for entry in entries + results.split(","):
        if not (re.fullmatch("[A-Z][+]?", entry) or entry in DTYPES
                or entry[:1] == "@" and entry[1:] in names):
            yield (f"type spec '{op.type_spec}': '{entry}' is no upper-case "
                   "letter, no element type and no attribute of the op")


def check_kernels(op):
    names = {attribute.name for attribute in op.attributes}
    served = set()
    for row in op.kernels:
        for element in row.types:
            if element not in DTYPES:
                yield f"kernel '{row.kernel}': '{element}' is no element type"
            if (row.device, element) in served:
                yield f"two kernels serve {element} on {row.device}; keep one"
            served.add((row.device, element))
        for param in row.params:
            key, equals, value = param.partition("=")
            if not equals or not (key == "algorithm" or value in names
                                  or is_number(value)):
                yield (f"kernel '{row.kernel}': '{param}' gives neither a "
                       "number nor an attribute of the op")


def check_records(ops):
    """Raises a RecordError that lists all contradictions."""
    complaints, seen = [], {}
    for op in ops:
        found = []
        if op.mnemonic in seen:
            found.append(f"weir.{op.mnemonic} is {seen[op.mnemonic]} already")
        seen[op.mnemonic] = op.name
        if op.is_computing:
            found += check_operands(op)
            found += check_types(op)
            found += check_kernels(op)
        complaints += [f"{op.place}: {op.name}: {text}" for text in found]
    if complaints:
        raise RecordError("\n".join(complaints))


def records_of(dump):
    """The checked records in llvm-tblgen's JSON, by family and mnemonic."""
    names = [name for name in dump["!instanceof"]["Op"]
             if dump[name]["opDialect"]["def"] == "Weir_Dialect"]
    ops = sorted((read_record(dump, dump[name]) for name in names),
                 key=lambda op: (op.family, op.mnemonic))
    check_records(ops)
    return ops


def read_records(root: pathlib.Path, llvm: pathlib.Path):
    return records_of(dump_records(root, llvm))
