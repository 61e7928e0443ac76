"""The cases of test/Ops, of attention and of gradients as artifacts for
cuda:0."""
import fnmatch
import pathlib
import re
import shutil
import subprocess
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import safetensors_file

# In test/Plugins/Inputs: each writes graphs of several ops, and what numpy
# computes for them.
SCRIPTS = ("attention", "conv_gradients")
CASES = "//--- cases.mlir\n"


def read_cases(path):
    """The functions of a file of test/Ops. Callers bind row-major tensors, so
    layouts are left to the compiler."""
    text = path.read_text().split(CASES)[1].split("//--- ")[0]
    return re.sub(r", #weir\.layout<\[[0-9, ]*\]>", "", text)


def compile_cases(text, compiler):
    """Compiles the file `text` and removes it. What went wrong, or nothing."""
    # Without --strict it would be compiled for the CPU as well.
    done = subprocess.run(
        [*compiler, text, "--devices=cuda:0", "--strict", "-o",
         text.with_suffix(".weir")],
        text=True, capture_output=True, check=False)
    text.unlink()
    if done.returncode != 0:
        return f"{text.name}: {done.stderr.strip()[:500]}"
    return ""


def compile_op(path, stored, folder, compiler):
    """What went wrong, or nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    text = folder / path.name
    text.write_text(read_cases(path))
    shutil.copy(stored, text.with_suffix(".safetensors"))
    return compile_cases(text, compiler)


def compile_script(script, folder, compiler):
    """What went wrong, or nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, script, folder], check=True)
    return compile_cases(folder / f"{script.stem}.mlir", compiler)


def store_gradients(source, text, path):
    """Stores the inputs of the network `text` and PyTorch's results for it."""
    tensors = {f"main.in{i}": numpy.load(file)
               for i, file in enumerate(sorted(source.glob("data*.npy")))}
    for i, name in enumerate(re.findall(r'weir\.name = "([^"]+)"', text)):
        stored = numpy.load(source / f"{name}.npy")
        # It is 0 but for rounding: a batch norm is behind the bias.
        tensors[f"main.out{i}"] = (
            stored[:0] if name == "c1_b.grad" else stored)
    safetensors_file.save(path, tensors)


def compile_gradients(source, folder, compiler):
    """What went wrong, or nothing. A network with one of each kind of layer:
    its loss and gradients."""
    folder.mkdir(parents=True, exist_ok=True)
    text = folder / "gradients.mlir"
    weights = folder / "tiny.f32.safetensors"
    shutil.copy(source / "tiny.f32.mlir", text)
    shutil.copy(source / weights.name, weights)
    store_gradients(source, text.read_text(),
                    text.with_suffix(".safetensors"))
    problem = compile_cases(text, compiler)
    weights.unlink()
    return problem


def jobs(root, folder, compiler, pattern):
    """Functions, each of which makes one artifact."""
    found = []
    for name in SCRIPTS:
        script = root / "test" / "Plugins" / "Inputs" / f"{name}.py"
        if fnmatch.fnmatchcase(name, pattern):
            found.append(lambda script=script: compile_script(
                script, folder, compiler))
    if fnmatch.fnmatchcase("gradients", pattern):
        source = root / "test" / "EndToEnd" / "Inputs" / "gradients"
        found.append(lambda: compile_gradients(source, folder, compiler))
    for path in sorted((root / "test" / "Ops").glob("*.mlir")):
        stored = path.parent / "Inputs" / f"{path.stem}.safetensors"
        if not fnmatch.fnmatchcase(path.stem, pattern):
            continue
        found.append(lambda path=path, stored=stored: compile_op(
            path, stored, folder, compiler))
    return found
