"""Compiles graphs with weir-batch, runs them, and compares with the oracle."""
import math
import pathlib
import re
import sys
from dataclasses import dataclass, field

import numpy as np

import oracle
from bounded import PRECISIONS
from graph import Text, module_text

sys.path.append(str(pathlib.Path(__file__).parents[1] / "EndToEnd/Inputs"))
from batch import Batch  # noqa: E402

TYPES = {"f32": np.float32, "f64": np.float64, "bf16": np.uint16,
         "i1": np.bool_, "i64": np.int64}
# Library kernels need not know smaller numbers.
SMALLEST = 1e-37
# The bounds hold for one evaluation order; another may have a few steps more.
SLACK = 4
STEPS, GRADIENT_TOLERANCE = (1e-5, 1e-6), 1e-3


@dataclass(frozen=True)
class Way:
    """How graphs are drawn and run. `flags` are fields of requests to
    weir-batch; `precision` is that of the comparison, if it is not that of the
    graph's type."""
    dtype: str = "f32"
    exact: bool = False
    gradients: bool = False
    precision: str | None = None
    flags: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Failure:
    """`kind` is "wrong", "refused" (an error of the compiler or the run) or
    "crash"."""
    kind: str
    message: str

    def is_like(self, other):
        """Whether both may have one cause: of messages, the names and numbers
        may differ."""
        return (other is not None and self.kind == other.kind
                and (self.kind != "refused"
                     or self.words() == other.words()))

    def words(self):
        """The message from the last "error:" on, without what it names."""
        first = self.message.splitlines()[0].rsplit("error: ", 1)[-1]
        if "kernel" in first and "bug in Weir" in first:
            return "kernel"
        return re.sub(r"'[^']*'|[-\d.]+", "", first)


class Checker:
    """A process of weir-batch, which is started again when it ends."""

    def __init__(self, way):
        self.way, self.batch = way, Batch()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.batch.__exit__(*error)

    def check(self, graphs):
        """A failure or None for each graph. They share a module; if that fails,
        each has one of its own."""
        found = self.run(graphs)
        if isinstance(found, Failure):
            if len(graphs) == 1:
                return [found]
            half = len(graphs) // 2
            parts = self.check(graphs[:half]) + self.check(graphs[half:])
            # Some things fail in company alone.
            return parts if any(parts) else [found] + parts[1:]
        return found

    def run(self, graphs):
        values = [oracle.evaluate(graph, self.precision(graph),
                                  rounds_inputs=bool(self.way.precision))
                  for graph in graphs]
        texts = [make_text(graph, known, f"g{number}_") for number,
                 (graph, known) in enumerate(zip(graphs, values))]
        folder = pathlib.Path(self.batch.folder.name)
        source, outputs = folder / "graph.mlir", folder / "outputs.bin"
        source.write_text(module_text(texts))
        inputs = [save_input(folder, text, value, data) for text in texts
                  for value, data in text.graph.inputs.items()]
        failure = self.ask(text=source, outputs=outputs, inputs=inputs)
        if failure:
            return failure
        bytes_of_outputs, at, found = outputs.read_bytes(), 0, []
        for graph, text, known in zip(graphs, texts, values):
            results = []
            for value in text.results:
                result, at = read_output(bytes_of_outputs, at,
                                         *text.types[value])
                results.append(result)
            compare = (compare_gradients if self.way.gradients
                       else compare_values)
            found.append(compare(graph, known, text, results))
        return found

    def precision(self, graph):
        return PRECISIONS[self.way.precision or graph.dtype]

    def ask(self, **request):
        """Why nothing could be run, or None."""
        try:
            answer = self.batch.run("graph", kernel_cache="off", **request,
                                    **self.way.flags)
        except SystemExit as error:
            if "weir-batch ended" not in str(error):
                return Failure("refused", str(error))
            code = self.batch.process.wait()
            self.batch = Batch()
            return Failure("crash", f"weir-batch ends with {code}")
        differing = [answer.get("differing_runs", 0),
                     *answer.get("differing_runs_of_callers", [])]
        if any(differing):
            return Failure("unsteady", f"runs differ from the first: "
                           f"{differing}")
        return None


def make_text(graph, values, prefix=""):
    types = {value: oracle.type_of(number, graph.dtype)
             for value, number in values.items()}
    return Text(graph, types, prefix)


def save_input(folder, text, value, data):
    """What weir-batch is told of an input."""
    name = text.name(value)[1:]
    file = folder / f"{name}.npy"
    kind = TYPES[text.types[value][1]]
    np.save(file, data.astype(np.float32 if kind == np.uint16 else kind))
    return f"{name}={file}"


def read_output(data, at, shape, dtype):
    """The tensor that begins at `at`, as f64, and where the next one does."""
    kind = TYPES[dtype]
    count = math.prod(shape)
    elements = np.frombuffer(data, kind, count, at)
    if dtype == "bf16":
        elements = (elements.astype(np.uint32) << 16).view(np.float32)
    return (elements.astype(np.float64).reshape(shape),
            at + count * np.dtype(kind).itemsize)


def compare_values(graph, values, text, results):
    for value, result in zip(graph.outputs, results):
        expected = values[value]
        bound = SLACK * expected.error + SMALLEST
        off = abs(result - expected.data.astype(float))
        wrong = ~(off <= bound) & np.isfinite(bound)
        if wrong.any():
            at = tuple(int(i) for i in np.argwhere(wrong)[0])
            return Failure("wrong", f"{wrong.sum()} of {wrong.size} elements "
                           f"of {text.name(value)} are wrong: expected "
                           f"{expected.data[at]:.9g} at {list(at)}, found "
                           f"{result[at]:.9g}, which is more than "
                           f"{bound[at]:.2g} off")
    return None


def compare_gradients(graph, values, text, results):
    """Each gradient by the slope of the loss in a random direction."""
    random = np.random.RandomState(1)
    for value, result in zip(graph.differentiable(), results):
        direction = random.normal(size=result.shape)
        (expected, bound), (closer, _) = (
            slope(graph, value, direction, step) for step in STEPS)
        found = (result * direction).sum()
        size = abs(result * direction).sum() + abs(expected)
        tolerance = (GRADIENT_TOLERANCE * (size + abs(loss_of(graph)[0]) + 1e-2)
                     + SLACK * bound)
        # Near an edge of a function there is no slope.
        if abs(expected - closer) > tolerance / 2:
            continue
        if not abs(found - expected) <= tolerance:
            return Failure("wrong", f"the gradient for {text.name(value)}: "
                           f"expected {expected:.9g} in a random direction, "
                           f"found {found:.9g}")
    return None


def slope(graph, value, direction, step):
    """The slope of the loss, and that of the bound of its error: what rounding
    changes in the loss, it changes in the gradient, too."""
    below, above = (loss_of(graph, value, way * step * direction)
                    for way in (-1, 1))
    bound = abs(above[1] - below[1]) / (2 * step)
    return ((above[0] - below[0]) / (2 * step),
            math.inf if math.isnan(bound) else bound)


def loss_of(graph, value=None, change=0):
    """The loss behind a change of an input, and the bound of its error in the
    type of the graph."""
    inputs = dict(graph.inputs)
    if value is not None:
        inputs[value] = inputs[value] + change
    number = oracle.evaluate(graph, PRECISIONS[graph.dtype],
                             inputs)[graph.outputs[0]]
    weights = graph.inputs[graph.loss]
    return (float((number.data * weights).sum()),
            float((number.error * abs(weights)).sum()))
