#!/usr/bin/env python3
"""Resumes a training by others. Each is refused, and the error names what
differs. What may change is accepted.

    wrong_resumes.py FOLDER [EVERY]

Of the wrong ones, tries each EVERY-th, all 44 by default.
"""
import pathlib
import subprocess
import sys

import numpy as np

MODEL = """
weir.parameter @w : tensor<3x8xf32> = dense<0.1> : tensor<3x8xf32>
weir.parameter @b : tensor<3xf32> = dense<0.0> : tensor<3xf32>
func.func @{entry}(%{x}: tensor<{batch}x8xf32>, %y: tensor<{batch}xi64>)
    -> (tensor<f32> {{weir.name = "loss"}}) {{
  %w = weir.read @w : tensor<3x8xf32>
  %b = weir.read @b : tensor<3xf32>
  %z = weir.linear %{x}, %w, %b
      : tensor<{batch}x8xf32>, tensor<3x8xf32>, tensor<3xf32>
  %rows = weir.sparse_softmax_cross_entropy %z, %y
      : tensor<{batch}x3xf32>, tensor<{batch}xi64>
  %loss = weir.reduce_mean %rows {{keepdims = false}} : tensor<{batch}xf32>
  weir.minimize %loss {{optimizer = {{{optimizer}}}{more}}} : tensor<f32>
  return %loss : tensor<f32>
}}
"""
RIGHT = {"entry": "train", "batch": 16, "x": "x", "more": ""}
SGD = 'name = "sgd", rate = {}, momentum = {}'
ADAM = 'name = "adam", rate = 0.01'


def optimizer(text, **more):
    return {"optimizer": text, **more}


def of_model():
    """Changes of the model, and what the error names."""
    adam = {name: ADAM + f", {name} = {value}" for name, value in (
        ("beta1", 0.8), ("beta2", 0.9), ("epsilon", 0.001),
        ("epsilon_hat", "true"), ("weight_decay", 0.1), ("l1_decay", 0.1))}
    for name, text in adam.items():
        yield "adam", optimizer(text), "optimizer was adam("
    yield "adam", optimizer(ADAM + ", decoupled_decay = true, weight_decay = "
                            "0.1"), "optimizer was adam("
    for text in ('name = "adamw", rate = 0.01', 'name = "sgd", rate = 0.01',
                 'name = "rmsprop", rate = 0.01',
                 'name = "adagrad", rate = 0.01',
                 'name = "adadelta", rate = 0.01'):
        yield "adam", optimizer(text), ("another optimiser has written it"
                                        if "adamw" not in text
                                        else "optimizer was adam(")
    for momentum, more in ((0.8, ""), (0.9, ", nesterov = true"),
                           (0.9, ", rate_inside = true"),
                           (0.9, ", weight_decay = 0.1"),
                           (0.9, ", l1_decay = 0.1")):
        yield "sgd", optimizer(SGD.format(0.05, momentum) + more), (
            "optimizer was sgd(")
    right = SGD.format(0.05, 0.9)
    yield "sgd", optimizer(SGD.format(0.1, 0.9)), (
        "rate was 0.05, and is 0.1; go on with the new value with --override")
    for schedule in ('"cosine", steps = 100', '"step", every = 10',
                     '"multistep", at = [10, 20]',
                     '"exponential", factor = 0.9',
                     '"polynomial", steps = 100', '"fixed", warmup = 5'):
        yield "sgd", optimizer(
            right, more=f", schedule = {{name = {schedule}}}"), (
            "schedule was fixed(), and is")
    yield "sgd", optimizer(right, more=", clip_value = 1.0"), "clip_value was 0"
    yield "sgd", optimizer(right, more=", clip_norm = 1.0"), "clip_norm was 0"
    yield "sgd", optimizer(right, more=", accumulate = 2"), "accumulate"
    yield "sgd", optimizer(
        right, more=', groups = [{parameters = ["b"], rate_factor = 2.0}]'), (
        "groups was none")
    yield "sgd", optimizer(
        right, more=', groups = [{parameters = ["b"], frozen = true}]'), (
        "other parameters were trained")
    yield "sgd", optimizer(right, entry="fit"), "entry was train, and is fit"
    yield "sgd", optimizer(right, batch=8), "batches of 16"
    yield "sgd", optimizer(right, x="image"), "column 'image' was none"


def of_data():
    """Changes of the data and the flags, and what the error names."""
    yield ["--shuffle", "8"], "seed 7"
    yield [], "seed 7"
    yield ["--shuffle", "7", "--map", "x=scale:2"], "map of 'x' was none"
    yield ["--shuffle", "7", "--map", "x=normalise:0.1:2"], "map of 'x'"
    yield ["--shuffle", "7", "--map", "x=cast:f32"], "map of 'x'"
    for name, what in (("fewer", "320 examples"), ("longer", "320 examples"),
                       ("scaled", "hash of 64 examples"),
                       ("rolled", "hash of 64 examples"),
                       ("relabelled", "hash of 64 examples"),
                       ("negated", "hash of 64 examples"),
                       ("column", "column 'y' was i64, and is 1xi64")):
        yield ["--shuffle", "7", name], what


def write_data(folder):
    random = np.random.default_rng(5)
    x = random.normal(size=(320, 8)).astype(np.float32)
    y = (x @ random.normal(size=(8, 3))).argmax(1)
    for name, (a, b) in {
            "right": (x, y), "fewer": (x[:304], y[:304]),
            "longer": (np.concatenate([x, x[:16]]),
                       np.concatenate([y, y[:16]])),
            "scaled": (x * 2, y), "rolled": (np.roll(x, 1, 0), y),
            "relabelled": (x, (y + 1) % 3), "negated": (-x, y),
            "column": (x, y[:, None])}.items():
        np.savez(folder / f"{name}.npz", x=a, y=b)


class Runs:
    def __init__(self, folder):
        self.folder = folder
        self.count = 0

    def compile(self, change):
        self.count += 1
        path = self.folder / f"{self.count}.mlir"
        path.write_text(MODEL.format(**{**RIGHT, **change}))
        model = path.with_suffix(".weir")
        subprocess.run(["graph-compile", path, "--threads=1", "-o", model],
                       check=True)
        return model

    def train(self, model, checkpoints, flags, data="right", x="x",
              entry="train", steps=5):
        path = self.folder / f"{data}.npz"
        return subprocess.run(
            ["graph-run", model, "--entry", entry, "--data",
             f"{x}={path}:x,y={path}:y", "--steps", str(steps),
             "--progress=none", "--checkpoint", self.folder / checkpoints,
             *flags], stderr=subprocess.PIPE, text=True)


def main():
    folder = pathlib.Path(sys.argv[1])
    every = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    write_data(folder)
    runs = Runs(folder)
    shuffled = ["--shuffle", "7"]
    models = {"sgd": runs.compile(optimizer(SGD.format(0.05, 0.9))),
              "adam": runs.compile(optimizer(ADAM))}
    for name, model in models.items():
        runs.train(model, name, shuffled).check_returncode()
    refused, failures = 0, []

    def expect(what, run):
        nonlocal refused
        if run.returncode == 1 and what in run.stderr:
            refused += 1
        else:
            failures.append(f"expected '{what}', found exit code "
                            f"{run.returncode}: {run.stderr}")

    cases = [*of_model(), *((flags, what) for flags, what in of_data())]
    for case in cases[::every]:
        if len(case) == 3:
            name, change, what = case
            expect(what, runs.train(
                runs.compile(change), name, shuffled + ["--resume"], steps=10,
                x=change.get("x", "x"), entry=change.get("entry", "train")))
        else:
            flags, what = list(case[0]), case[1]
            data = flags.pop() if len(flags) == 3 else "right"
            expect(what, runs.train(models["sgd"], "sgd", flags + ["--resume"],
                                    data=data, steps=10))
    print("\n".join(failures), file=sys.stderr)
    print(f"{refused} of {len(cases[::every])} wrong resumes are refused")

    # What may change.
    changed = runs.compile(optimizer(SGD.format(0.1, 0.9)))
    done = runs.train(changed, "sgd",
                      shuffled + ["--resume", "--override"], steps=10)
    print("override:", done.stderr.strip())
    (folder / "right.npz").rename(folder / "moved.npz")
    done = runs.train(changed, "sgd", shuffled + ["--resume",
                                                  "--loader-threads=2"],
                      data="moved", steps=12)
    print("moved:", done.stderr.strip())


if __name__ == "__main__":
    main()
