#!/usr/bin/env python3
"""Compiles what exporters wrote, runs it, and compares with the libraries.

Each archive of Inputs (utils/exporters/make_models.py) has models, and what the
exporting library computes for inputs of three sizes. The inputs follow from
models.json. A model is compiled for each size in f32 and in bf16.
"""
import argparse
import json
import math
import os
import pathlib
import random
import re
import sys
import zipfile

import numpy as np

FOLDER = pathlib.Path(__file__).parent
ROOT = FOLDER.parents[1]
sys.path += [str(ROOT / "utils/exporters"), str(FOLDER.parent /
                                                "EndToEnd/Inputs")]
from batch import Batch  # noqa: E402
from model_data import Input, stored_places  # noqa: E402

# The largest error of an output relative to its largest element. For f32 it is
# that of sums and of steep functions in networks of this depth; for bf16
# docs/precision.md states it.
BOUNDS = {"f32": 1e-5, "bf16": 3e-2}


class Case:
    """A model in a size and precision."""

    def __init__(self, archive, name, file, at, precision):
        self.archive, self.name, self.file = archive, name, file
        self.at, self.precision = at, precision
        self.about = archive.models[name]

    def __str__(self):
        return f"{self.file['file']}, size {self.at}, {self.precision}"

    def inputs(self):
        """The names and data that the model's inputs have."""
        ports = [Input(*about) for about in self.about["inputs"]]
        sizes = self.about["sizes"]
        return [(name, port.data(sizes, self.at))
                for name, port in zip(self.file["inputs"], ports, strict=True)]

    def failure(self, checker):
        """Why the model is not right, or "" if it is."""
        folder = pathlib.Path(checker.batch.folder.name)
        model = folder / "model.onnx"
        model.write_bytes(self.archive.file.read(self.file["file"]))
        named, shapes = [], []
        for number, (name, data) in enumerate(self.inputs()):
            path = folder / f"input{number}.npy"
            np.save(path, data)
            named.append(f"{name}={path}")
            dims = "x".join(str(dim) for dim in data.shape)
            shapes.append(f"{name}:{dims}")
        outputs = folder / "outputs.bin"
        error = checker.ask(text=model, inputs=named, shapes=shapes,
                            outputs=outputs, precision=self.precision)
        return error or self.difference(outputs.read_bytes())

    def difference(self, found):
        answers = self.archive.answers(self.name)
        place = 0
        for number, (shape, kind) in enumerate(self.about["outputs"][self.at]):
            count, kind = math.prod(shape), np.dtype(kind)
            output = np.frombuffer(found, kind, count, place)
            place += count * kind.itemsize
            places = stored_places(count)
            stored = f"{self.at}.{number}"
            expected = answers[stored].astype(float)
            bound = (BOUNDS[self.precision] * answers[f"{stored}.largest"]
                     if kind.kind == "f" else 0)
            off = abs(output[places].astype(float) - expected)
            if not np.all(off <= bound):
                worst = int(np.nan_to_num(off, nan=np.inf).argmax())
                return (f"output {number}: {np.sum(~(off <= bound))} of "
                        f"{len(places)} elements are wrong; [{places[worst]}] "
                        f"is {output[places[worst]]:.9g}, expected "
                        f"{expected[worst]:.9g} within {bound:.2g}")
        if place != len(found):
            return f"expected {place} bytes of outputs, found {len(found)}"
        return ""


class Archive:
    def __init__(self, path):
        self.file = zipfile.ZipFile(path)
        self.models = json.loads(self.file.read("models.json"))

    def answers(self, name):
        with self.file.open(f"answers/{name}.npz") as file:
            return dict(np.load(file))

    def cases(self, precisions):
        return [Case(self, name, file, at, precision)
                for name, about in self.models.items()
                for file in about["files"] for at in file["sizes"]
                for precision in precisions
                if precision == "f32" or not about["f32_only"]]


class Checker:
    """A process of weir-batch, which is started again when it ends."""

    def __init__(self):
        self.batch = Batch()

    def ask(self, **request):
        try:
            self.batch.run("model", kernel_cache="off", threads=1, **request)
        except SystemExit as error:
            if "weir-batch ended" not in str(error):
                return str(error).removeprefix("error: model: ")
            code = self.batch.process.wait()
            self.batch = Batch()
            return f"weir-batch ends with {code}"
        return ""


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archives", nargs="*", type=pathlib.Path,
                        help="default: all of Inputs")
    parser.add_argument("--only", default="",
                        help="a regular expression that files must fit")
    parser.add_argument("--draw", type=int, metavar="COUNT", help="as many "
                        "cases, drawn by WEIR_SEED of the environment")
    parser.add_argument("--precision", choices=BOUNDS,
                        help="default: all")
    return parser.parse_args()


def main():
    options = parse_arguments()
    paths = options.archives or sorted(FOLDER.glob("Inputs/*.zip"))
    precisions = [options.precision] if options.precision else list(BOUNDS)
    cases = [case for path in paths for case in Archive(path).cases(precisions)
             if re.search(options.only, case.file["file"])]
    if options.draw:
        random.seed(os.environ.get("WEIR_SEED", "0"))
        cases = random.sample(cases, min(options.draw, len(cases)))
    checker, failed = Checker(), 0
    with checker.batch:
        for case in cases:
            failure = case.failure(checker)
            if failure:
                failed += 1
                print(f"{case}: {failure}", flush=True)
    print(f"{len(cases) - failed} of {len(cases)} are right")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
