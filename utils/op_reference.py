"""The reference of ops and passes as Markdown."""
import re

NOTE = ("<!-- Written by utils/gen-op-tables.py; change the .td files "
        "instead. -->\n")
INFINITY = "std::numeric_limits<double>::infinity()"
PLACEMENT = {"device", "stage"}

OPS_INTRODUCTION = """\
One record per op in `include/weir/Dialect/Weir/IR/Ops` says all that Weir knows
of it, and this page is made from the records. How to read them:

- *Index spec*: which elements an op reads and writes
  (`include/weir/Support/IndexSpec.h`). *Type spec*: an upper-case letter is one
  element type throughout (`F`, `G` a float, `I` an integer, `L` one or i1);
  `@name` is the type in an attribute.
- A *leaf* is a scalar expression at each point of its index spec; a *composite*
  has a body of simpler ops. An op that is neither only moves elements.
- A kernel row names the library kernel that serves the op on a device kind, and
  the element types it takes. A composite without one, or of another type, runs
  by the kernels of its body's ops; a *view* copies nothing and needs no kernel.
  For any other op without one, and for most with one, code is generated for CPU
  devices.
- The *textual form* shows an op as it is written. What is in `[...]` may be
  left out; behind the last `:` stand the types of the operands, in their order.
- Every op that computes also takes `device`, written `on "cpu:0"`, and `stage`.
"""


def code(text):
    """Inline code in a table cell."""
    return f"`{text}`".replace("|", "\\|")


def table(headings, rows):
    lines = [headings, ["---"] * len(headings), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def anchor(op):
    return f"[`{op.mnemonic}`](#weir{op.mnemonic})"


def kind(op):
    if op.is_composite:
        return "composite"
    return "leaf" if op.expression else "movement"


def kernel_cell(op, device):
    rows = ", ".join(f"`{row.kernel}` ({', '.join(row.types)})"
                     for row in op.kernels if row.device == device)
    without = "its body" if op.is_composite else "view" if op.is_view else "-"
    return rows or without


def support_matrix(ops):
    devices = sorted({row.device for op in ops for row in op.kernels})
    rows = [[anchor(op), kind(op), op.summary,
             *(kernel_cell(op, device) for device in devices)]
            for op in ops if op.is_computing]
    return table(["op", "kind", "what it computes", *devices], rows)


def operand_rows(op):
    for operand in op.operands:
        how = ("any number" if operand.is_variadic
               else "optional" if operand.is_optional else "required")
        yield ["operand", code(operand.name), "tensor", how]


def attribute_rows(op):
    for attribute in op.attributes:
        if op.is_computing and attribute.name in PLACEMENT:
            continue
        default = (attribute.default or "").replace(INFINITY, "inf")
        how = ("optional" if attribute.is_optional
               else f"default {code(default)}" if default else "required")
        yield ["attribute", code(attribute.name), attribute.kind, how]


def result_rows(op):
    for result in op.results:
        yield ["result", code(result.name), "tensor",
               "any number" if result.is_variadic else "one"]


def facts(op):
    spec = f"index spec `{op.index_spec}`" if op.index_spec else "no index spec"
    yield f"{spec}, type spec `{op.type_spec}`"
    if op.expression:
        combined = ("" if op.combiner == "None"
                    else f", combined by {op.combiner.lower()}")
        yield f"at each point `{op.expression}`{combined}"
    for row in op.kernels:
        params = f", with {code(', '.join(row.params))}" if row.params else ""
        fused = ", takes post-ops" if row.post_ops else ""
        yield (f"{row.device} kernel `{row.kernel}` for "
               f"{', '.join(row.types)}{params}{fused}")
    if op.precision != "Wide":
        yield f"under `--precision=bf16`: {op.precision.lower()}"
    if op.is_internal:
        yield "only passes and bodies of other ops build it"


def sentence(op):
    """The summary; code at its beginning keeps its small letter."""
    first = re.match(r"\w+", op.summary)[0]
    is_code = (re.match(r"\w+(\(| [-+*/])", op.summary)
               or first in {operand.name for operand in op.operands})
    start = first if is_code else first[:1].upper() + first[1:]
    return start + op.summary[len(first):] + ".\n"


def textual_form(op):
    """The op as it is written in a text, with its parts by name."""
    results = ", ".join(f"%{result.name}" + (":N" if result.is_variadic else "")
                        for result in op.results)
    start = (f"{results} = " if results else "") + f"weir.{op.mnemonic}"
    if not op.is_computing:
        return f"{start} " + " ".join(op.assembly.replace("`", "").split())
    operands = ""
    for operand in op.operands:
        name = f"%{operand.name}" + (", ..." if operand.is_variadic else "")
        comma = ", " if operands else " "
        operands += f"[{comma}{name}]" if operand.is_optional else comma + name
    attributes = [
        f"{attribute.name} = {attribute.kind.upper()}"
        if attribute.default is None and not attribute.is_optional
        else f"[{attribute.name} = {attribute.kind.upper()}]"
        for attribute in op.attributes if attribute.name not in PLACEMENT]
    braces = " {" + ", ".join(attributes) + "}" if attributes else ""
    return f"{start}{operands} [on \"DEVICE\"]{braces} : TYPES"


def op_section(op):
    parts = [f"### weir.{op.mnemonic}\n", sentence(op)]
    # Ops without either have an example in their description.
    if op.is_computing or op.assembly:
        parts.append(f"```\n{textual_form(op)}\n```\n")
    if op.description:
        parts.append(op.description + "\n")
    rows = [*operand_rows(op), *attribute_rows(op), *result_rows(op)]
    if rows:
        parts.append(table(["", "name", "type", ""], rows))
    if op.is_computing:
        parts.append("".join(f"- {fact}\n" for fact in facts(op)))
    return "\n".join(parts)


def ops(records):
    """Ops.md."""
    parts = [NOTE, "# Op reference\n", OPS_INTRODUCTION, "## Support\n",
             support_matrix(records)]
    family = None
    for op in records:
        if op.family != family:
            family = op.family
            parts.append(f"## {family}\n")
        parts.append(op_section(op))
    return "\n".join(parts)


def passes(docs):
    """Passes.md from mlir-tblgen's text for each Passes.td."""
    parts = [NOTE, "# Pass reference\n",
             "The order in which `graph-compile` runs them is "
             "`lib/Compiler/Pipelines.cpp`; `graph-opt` runs any by its "
             "flag.\n"]
    for path, text in docs.items():
        text = re.sub(r"<!--.*?-->\n", "", text)
        folder = path.removeprefix("include/weir/").removesuffix("/Passes.td")
        parts.append(f"## {folder}\n\n{text.strip()}\n")
    return "\n".join(parts)
