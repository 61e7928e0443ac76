#!/usr/bin/env python3
"""Writes the models of test/Exporters/Inputs: utils/exporters/make_models.py
LIBRARY [--only REGEX] [--out FILE.zip], in an environment with the packages of
requirements-LIBRARY.txt.

Each library has a module LIBRARY_models.py with `MODELS`, what is known of
each, and the functions `export` and `answers`. The archive has a file for each
model and exporter, the answers that the library itself gives for three sizes,
and models.json. ONNX Runtime must give the same answers, where it is installed
and can run the model; what differs is reported.
"""
import argparse
import importlib
import io
import json
import pathlib
import re
import sys
import tempfile
import zipfile

import numpy as np
import onnx

from model_data import COUNT, stored_places

try:
    import onnxruntime
    onnxruntime.set_default_logger_severity(4)
except ImportError:
    onnxruntime = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
INPUTS = ROOT / "test" / "Exporters" / "Inputs"
PARTS = {"torch": ["torch_text", "torch_vision", "torch_detection",
                   "torch_sequence"]}
# The date of all entries, so that the same models give the same archive.
DATE = (2020, 1, 1, 0, 0, 0)
TOLERANCE = 2e-5


def stripped(path):
    """The model without the places in the exporting program."""
    model = onnx.load(path)
    graphs = [model.graph, *model.functions]
    while graphs:
        graph = graphs.pop()
        graph.doc_string = ""
        for part in [*graph.node, *getattr(graph, "input", ()),
                     *getattr(graph, "output", ()), *graph.value_info]:
            if isinstance(part, str):
                continue
            part.doc_string = ""
            part.ClearField("metadata_props")
        graph.ClearField("metadata_props")
        graphs += [attribute.g for node in graph.node
                   for attribute in node.attribute if attribute.HasField("g")]
    model.ClearField("metadata_props")
    return model


def compare(model, inputs, expected):
    """What ONNX Runtime computes differently, as a text."""
    if not onnxruntime:
        return ""
    try:
        session = onnxruntime.InferenceSession(
            model, providers=["CPUExecutionProvider"])
        names = [port.name for port in session.get_inputs()]
        found = session.run(None, dict(zip(names, inputs, strict=True)))
    except Exception as error:  # Any of its own types.
        return f"ONNX Runtime: {str(error)[:300]}"
    for at, (one, other) in enumerate(zip(found, expected, strict=True)):
        if one.shape != other.shape or one.dtype != other.dtype:
            return (f"output {at} is {one.dtype}{one.shape} in ONNX Runtime, "
                    f"{other.dtype}{other.shape} in the library")
        off = abs(one.astype(float) - other.astype(float)).max(initial=0)
        size = abs(other.astype(float)).max(initial=0)
        if not off <= TOLERANCE * size:
            return f"output {at} is {off:.3g} of {size:.3g} off"
    return ""


def cause(error):
    while error.__cause__:
        error = error.__cause__
    return str(error)


class Archive:
    def __init__(self, path):
        self.file = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED,
                                    compresslevel=9)

    def add(self, name, data):
        info = zipfile.ZipInfo(name, DATE)
        info.compress_type = zipfile.ZIP_DEFLATED
        self.file.writestr(info, data)


def export(library, name, exporter, inputs, answers, path):
    """The models of an exporter, each with the sizes that it is for: one model
    for all sizes if that is right in ONNX Runtime, else those that are right
    for one size."""
    entry = library.MODELS[name]

    def written(sizes, *at):
        library.export(entry, exporter, path, *at)
        model = stripped(path)
        data = model.SerializeToString(deterministic=True)
        texts = (compare(data, inputs[at], answers[at]) for at in sizes)
        text = next(filter(None, texts), "")
        if text:
            print(f"{name}, {exporter}: {text}", flush=True)
        return model, data, sizes, text

    try:
        whole = written(range(COUNT))
        if not whole[-1]:
            return [whole]
    except Exception as error:  # Any type.
        print(f"{name}, {exporter}: {cause(error)[:500]}", flush=True)
    try:
        each = [written([at], at) for at in range(COUNT)]
        return [one for one in each if not one[-1]]
    except Exception as error:
        print(f"{name}, {exporter}, of fixed size: {cause(error)[:500]}",
              flush=True)
        return []


def add_model(library, name, archive, path):
    """What models.json says of a model."""
    entry = library.MODELS[name]
    answers = [library.answers(entry, at) for at in range(COUNT)]
    inputs = [[port.data(entry["sizes"], at) for port in entry["inputs"]]
              for at in range(COUNT)]
    files = []
    for exporter in entry["exporters"]:
        for model, data, sizes, _ in export(library, name, exporter, inputs,
                                            answers, path):
            end = "" if len(sizes) == COUNT else f".{sizes[0]}"
            file = f"{exporter}/{name}{end}.onnx"
            archive.add(file, data)
            initial = {tensor.name for tensor in model.graph.initializer}
            files.append({"file": file, "sizes": list(sizes), "inputs": [
                port.name for port in model.graph.input
                if port.name not in initial]})
    archive.add(f"answers/{name}.npz", stored(name, answers))
    print(f"{name}: {len(files)} files", flush=True)
    return {"files": files, "inputs": [
        [port.name, list(port.dims), port.kind] for port in entry["inputs"]],
        "sizes": entry["sizes"], "f32_only": entry["f32_only"], "outputs": [
            [[list(output.shape), output.dtype.name] for output in outputs]
            for outputs in answers]}


def stored(name, answers):
    arrays = {}
    for at, outputs in enumerate(answers):
        for number, output in enumerate(outputs):
            if not np.isfinite(output.astype(float)).all():
                print(f"{name}: output {number} is not finite")
            arrays[f"{at}.{number}"] = output.ravel()[
                stored_places(output.size)]
            arrays[f"{at}.{number}.largest"] = abs(
                output.astype(np.float64)).max(initial=0)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library")
    parser.add_argument("--only", default="", help="a regular expression")
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    library = importlib.import_module(f"{options.library}_models")
    for part in PARTS.get(options.library, ()):
        importlib.import_module(part)
    names = sorted(name for name in library.MODELS
                   if re.search(options.only, name))
    if not names:
        sys.exit(f"no model fits {options.only}")
    archive = Archive(options.out or INPUTS / f"{options.library}.zip")
    with archive.file, tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "model.onnx"
        about = {name: add_model(library, name, archive, path)
                 for name in names}
        archive.add("models.json", json.dumps(about, separators=(",", ":")))


if __name__ == "__main__":
    main()
