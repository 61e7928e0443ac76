"""The cases of test/Ops, and of attention, as artifacts for cuda:0."""
import fnmatch
import re
import shutil
import subprocess
import sys

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


def compile_attention(script, folder, compiler):
    """What went wrong, or nothing. Attention is several ops and one launch."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, script, folder], check=True)
    return compile_cases(folder / "attention.mlir", compiler)


def jobs(root, folder, compiler, pattern):
    """Functions, each of which makes one artifact."""
    found = []
    if fnmatch.fnmatchcase("attention", pattern):
        script = root / "test" / "Plugins" / "Inputs" / "attention.py"
        found.append(lambda: compile_attention(script, folder, compiler))
    for path in sorted((root / "test" / "Ops").glob("*.mlir")):
        stored = path.parent / "Inputs" / f"{path.stem}.safetensors"
        if not fnmatch.fnmatchcase(path.stem, pattern):
            continue
        found.append(lambda path=path, stored=stored: compile_op(
            path, stored, folder, compiler))
    return found
