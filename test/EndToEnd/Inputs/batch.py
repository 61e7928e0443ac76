"""weir-batch, which compiles and runs many graphs in one process.

A test that calls `check` or `run_tool`, or asks for what fails, ends with a
message at the first failure. Tools are those that PATH finds first.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
# Where safetensors_file and matmul_chains lie, which benchmarks use as well.
sys.path += [str(ROOT / "utils"), str(ROOT / "utils" / "bench")]
MEMORY = pathlib.Path("/dev/shm")


def check(condition, message):
    if not condition:
        sys.exit(f"error: {message}")


def run_tool(*command, cwd=None):
    """The standard output of `command`."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    check(done.returncode == 0,
          f"{' '.join(words)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


class Batch:
    def __init__(self):
        # Writing an artifact waits until it is on the disk, if that is where it
        # goes; here many are written.
        self.folder = tempfile.TemporaryDirectory(
            dir=MEMORY if MEMORY.is_dir() else None)
        self.process = subprocess.Popen(
            ["weir-batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True)

    def run(self, case, **request):
        """Does what `ask` does, and runs what was compiled."""
        return self.ask(case, artifact=f"{self.folder.name}/graph.weir",
                        **request)

    def ask(self, case, **request):
        """The answer to `request` (test/Batch/Batch.cpp has the fields); `case`
        is what messages call it."""
        print(json.dumps(request, default=str), file=self.process.stdin,
              flush=True)
        line = self.process.stdout.readline()
        check(line, f"{case}: weir-batch ended: {self.process.poll()}")
        answer = json.loads(line)
        check("error" not in answer, f"{case}: {answer.get('error')}")
        return answer

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
        self.folder.cleanup()
