"""The cases of test/Ops as artifacts for cuda:0."""
import fnmatch
import re
import shutil
import subprocess

CASES = "//--- cases.mlir\n"


def read_cases(path):
    """The functions of a file of test/Ops. Callers bind row-major tensors, so
    layouts are left to the compiler."""
    text = path.read_text().split(CASES)[1].split("//--- ")[0]
    return re.sub(r", #weir\.layout<\[[0-9, ]*\]>", "", text)


def compile_op(path, stored, folder, compiler):
    """What went wrong, or nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    text = folder / f"{path.stem}.mlir"
    text.write_text(read_cases(path))
    artifact = folder / f"{path.stem}.weir"
    # Without --strict it would be compiled for the CPU as well.
    done = subprocess.run(
        [*compiler, text, "--devices=cuda:0", "--strict", "-o", artifact],
        text=True, capture_output=True, check=False)
    text.unlink()
    if done.returncode != 0:
        return f"{path.name}: {done.stderr.strip()[:500]}"
    shutil.copy(stored, folder / f"{path.stem}.safetensors")
    return ""


def jobs(root, folder, compiler, pattern):
    """Functions, each of which makes one artifact."""
    found = []
    for path in sorted((root / "test" / "Ops").glob("*.mlir")):
        stored = path.parent / "Inputs" / f"{path.stem}.safetensors"
        if not fnmatch.fnmatchcase(path.stem, pattern):
            continue
        found.append(lambda path=path, stored=stored: compile_op(
            path, stored, folder, compiler))
    return found
