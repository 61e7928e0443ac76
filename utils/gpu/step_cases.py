"""Steps of training as artifacts for cuda:0 and for the CPU."""
import fnmatch
import re
import subprocess
import zlib

import numpy

import safetensors_file

# Networks, and how many classes their integers name.
NETWORKS = {"lenet": 10, "resnet8": 10, "transformer": 20}
STEPS = 20
# The other machine has another processor.
CPU = ["--devices=cpu:0", "--target-cpu=x86-64-v3"]
GPU = ["--devices=cuda:0", "--strict"]
INPUT = re.compile(r"%\w+: tensor<(?:([0-9x]+)x)?(f32|i64)>")


def draw_inputs(name, text, steps):
    """The inputs of all steps of the entry `train`, one behind the other."""
    random = numpy.random.default_rng(zlib.crc32(name.encode()))
    inputs = re.search(r"@train\((.*?)\) ->", text)[1]
    tensors = {}
    for at, (dims, element) in enumerate(INPUT.findall(inputs)):
        shape = [steps, *map(int, filter(None, dims.split("x")))]
        tensors[f"train.in{at}"] = (
            random.standard_normal(shape, dtype=numpy.float32)
            if element == "f32" else random.integers(0, NETWORKS[name], shape))
    return tensors


def compile_steps(text, folder, compiler, steps):
    """What went wrong, or nothing."""
    (folder / "cpu").mkdir(parents=True, exist_ok=True)
    safetensors_file.save(folder / f"{text.stem}.safetensors",
                          draw_inputs(text.stem, text.read_text(), steps))
    for flags, path in ((GPU, folder), (CPU, folder / "cpu")):
        done = subprocess.run(
            [*compiler, text, *flags, "-o", path / f"{text.stem}.weir"],
            text=True, capture_output=True, check=False)
        if done.returncode != 0:
            return f"{text.name}: {done.stderr.strip()[:500]}"
    return ""


def jobs(root, folder, compiler, pattern, steps=STEPS):
    """Functions, each of which makes the artifacts of one network."""
    texts = root / "test" / "Plugins" / "Inputs" / "steps"
    return [lambda text=texts / f"{name}.mlir": compile_steps(
                text, folder, compiler, steps)
            for name in NETWORKS if fnmatch.fnmatchcase(name, pattern)]
