"""The networks of utils/bench as artifacts for cuda:0 whose weights are random
numbers that a seed determines."""
import fnmatch
import json
import math
import pathlib
import re
import shutil
import subprocess
import zlib

import numpy as np

import safetensors_file

# A parameter of fewer elements stays as it is: those are constants rather than
# weights.
LEAST = 1024
# The number of elements that are stored of a larger output.
MOST = 100_000
PRECISIONS = ("f32", "bf16", "f16")
# What is timed: networks and batch sizes.
TIMED = (("resnet50", 1), ("resnet50", 32), ("bert_base", 1), ("gpt2", 1))
# How far outputs may be from those of the CPU in f32, in units of the largest.
TOLERANCE = {"f32": "1e-3", "mixed": "1e-3", "bf16": "6e-2", "f16": "1e-2"}
# A map of probabilities ends in a steep function: on CPUs as well, bf16 moves
# one in 200 elements of this one by more than 0.06, and one by 0.41.
STEEP = {"ocr_detector": {"bf16": "0.5", "f16": "0.1"}}
# What is also placed on a GPU and the CPU: the CPU computes what depends on
# these ops.
MIXED = {"ocr_detector": [f"p2o.Conv.{number}" for number in range(33, 37)]}
DECLARED = re.compile(
    r"^  weir\.(parameter|derived) (@\S+) : (tensor<([0-9x]*)x(f32|bf16|f16)"
    r"(?:, #weir\.layout<[^>]*>)?>)(.*)$")


def fill(name, dims):
    """`uniform <...>` for a weight. Values keep their size from layer to layer
    if the variance is 2 / fan-in; vectors are scales and shifts."""
    # A weight has the same numbers in all precisions.
    seed = zlib.crc32(re.sub("_(bf16|f16)(?![A-Za-z0-9])", "", name).encode())
    if len(dims) == 1:
        return f"uniform <seed = {seed}, low = 0.5, high = 1.0>"
    # [out, in, window...] of convolutions; both dims of a matrix are about the
    # same.
    high = math.sqrt(3.0 / math.prod(dims[1:]))
    return f"uniform <seed = {seed}, low = {-high:.6}, high = {high:.6}>"


def fill_weights(text):
    """`text`, a graph behind the phase `graph`, with random weights."""
    lines, inside = [], False
    for line in text.splitlines():
        if inside:
            inside = line != "  }"
            continue
        found = DECLARED.match(line)
        dims = [int(dim) for dim in found[4].split("x")] if found else []
        if not found or math.prod(dims) < LEAST:
            lines.append(line)
            continue
        lines.append(f"  weir.parameter {found[2]} : {found[3]} "
                     f"{fill(found[2], dims)}")
        inside = found[1] == "derived"
    return "\n".join(lines) + "\n"


def spell(name):
    """An input's name as textual IR has it."""
    return re.sub(r"[^A-Za-z0-9_.$-]", lambda one: f"{ord(one[0]):02X}", name)


def run(command):
    return subprocess.run([str(part) for part in command], text=True,
                          capture_output=True, check=True).stdout


def store_outputs(model, network, folder, stored, programs):
    """Runs `model` on the CPU, and stores its inputs and outputs by the entry's
    name and their positions."""
    entry = json.loads(run([programs["graph-dump"], "--json", model]))[
        "variants"][0]["entries"][0]
    stored_inputs = {spell(name): network["folder"] / file
                     for name, file in network["inputs"].items()}
    files = {f"in{at}": stored_inputs[port["name"]]
             for at, port in enumerate(entry["inputs"])}
    files |= {f"out{at}": folder / f"out{at}.npy"
              for at in range(len(entry["outputs"]))}
    command = [programs["graph-run"], model]
    for at, port in enumerate(entry["inputs"]):
        command += ["--input", f"{port['name']}={files[f'in{at}']}"]
    for at, port in enumerate(entry["outputs"]):
        command += ["--output", f"{port['name']}={files[f'out{at}']}"]
    run(command)
    tensors = {f"{entry['name']}.{name}": np.load(file)
               for name, file in files.items()}
    if not all(np.isfinite(array).all() for array in tensors.values()):
        raise ValueError("an output is not finite")
    for name, array in tensors.items():
        if ".out" in name and array.size > MOST:
            tensors[name] = array.reshape(-1)[:MOST]
    safetensors_file.save(stored, tensors, {
        f"tolerance.{precision}": text for precision, text in
        (TOLERANCE | STEEP.get(network["name"], {})).items()})


def write_text(model, flags, precision, compiler, path):
    """The graph of `model` with random weights, as textual IR."""
    run([*compiler, model, *flags, f"--precision={precision}",
         "--devices=cuda:0", "--emit=graph", "-o", path])
    path.write_text(fill_weights(path.read_text()))


def make_network(network, folder, compiler, programs):
    """An artifact for each precision, and what they should compute. What went
    wrong, or nothing."""
    name = network["name"]
    work = folder / f"{name}.work"
    work.mkdir(parents=True)
    try:
        for precision in PRECISIONS:
            text = work / f"{precision}.mlir"
            write_text(network["folder"] / "model.onnx", network["shapes"],
                       precision, compiler, text)
            run([*compiler, text, "--devices=cuda:0", "--strict", "-o",
                 folder / f"{name}_{precision}.weir"])
        if name in MIXED:
            run([*compiler, work / "f32.mlir", "--devices=cuda:0,cpu:0",
                 "--strict", "--place=*=cuda:0",
                 *[f"--place=after:{op}=cpu:0" for op in MIXED[name]], "-o",
                 folder / f"{name}_mixed.weir"])
        run([*compiler, work / "f32.mlir", "--devices=cpu:0", "-o",
             work / "cpu.weir"])
        store_outputs(work / "cpu.weir", network, work,
                      folder / f"{name}.safetensors", programs)
    except subprocess.CalledProcessError as error:
        return f"{name}: {error.stderr.strip()[:500]}"
    except ValueError as error:
        return f"{name}: {error}"
    finally:
        for path in sorted(work.glob("*")):
            path.unlink()
        work.rmdir()
    return ""


def set_batch(model, batch, path):
    """Writes `model`, an ONNX file, with another size of its first dim."""
    import onnx
    loaded = onnx.load(model)
    for value in (*loaded.graph.input, *loaded.graph.output):
        value.type.tensor_type.shape.dim[0].dim_value = batch
    del loaded.graph.value_info[:]
    onnx.save(loaded, path)


def port_names(text):
    """The inputs and outputs of the only function of `text`."""
    inputs, outputs = re.search(
        r"^  func\.func @\w+\((.*?)\) -> (.*) \{$", text, re.M).groups()
    names = [one[1:].split(":")[0] for one in re.split(", (?=%)", inputs)
             if "weir.parameter" not in one]
    return names + re.findall(r'weir\.name = "([^"]*)"', outputs)


def write_inputs(network, batch, path):
    """Writes the flags that give a run its inputs, and copies these."""
    flags = []
    for name, file in network["inputs"].items():
        value = "random"
        if batch == 1:
            value = f"timed/{network['name']}.{file}"
            shutil.copy(network["folder"] / file, path.parent.parent / value)
        flags.append(f"--input {spell(name)}={value}")
    path.write_text(" ".join(flags) + "\n")


def make_timed(network, precision, batch, folder, compiler):
    """Makes an artifact whose inputs and outputs lie in the GPU's memory. What
    went wrong, or nothing."""
    suffix = f"x{batch}" if batch > 1 else ""
    name = f"{network['name']}{suffix}_{precision}"
    folder.mkdir(parents=True, exist_ok=True)
    text, model = folder / f"{name}.mlir", folder / f"{name}.onnx"
    try:
        set_batch(network["folder"] / "model.onnx", batch, model)
        shapes = network["shapes"] if batch == 1 else []
        write_text(model, shapes, precision, compiler, text)
        names = port_names(text.read_text())
        write_inputs(network, batch, folder / f"{name}.inputs")
        run([*compiler, text, "--devices=cuda:0", "--strict", "-o",
             folder / f"{name}.weir",
             *[f"--port-space={port}=cuda:0" for port in names]])
    except subprocess.CalledProcessError as error:
        return f"{name}: {error.stderr.strip()[:500]}"
    finally:
        text.unlink(missing_ok=True)
        model.unlink(missing_ok=True)
    return ""


def timed_jobs(cache, folder, compiler):
    """Functions, each of which makes one artifact to be timed."""
    found = []
    for name, batch in TIMED:
        if not (cache / name / "network.json").exists():
            continue
        network = read_network(cache / name)
        for precision in ("bf16", "f16"):
            found.append(
                lambda network=network, batch=batch, precision=precision:
                make_timed(network, precision, batch, folder, compiler))
    return found


def read_network(folder):
    described = json.loads((folder / "network.json").read_text())
    inputs = described["inputs"]
    shapes = []
    for name, file in inputs.items():
        dims = np.load(folder / file, mmap_mode="r").shape
        shapes.append(f"--shape={name}:{'x'.join(str(dim) for dim in dims)}")
    return {"name": folder.name, "folder": folder, "inputs": inputs,
            "shapes": shapes}


def jobs(cache, folder, compiler, programs, pattern):
    """Functions, each of which makes the artifacts of one network."""
    found = []
    for path in sorted(pathlib.Path(cache).glob("*/network.json")):
        if fnmatch.fnmatchcase(path.parent.name, pattern):
            network = read_network(path.parent)
            found.append(lambda network=network: make_network(
                network, folder, compiler, programs))
    return found
