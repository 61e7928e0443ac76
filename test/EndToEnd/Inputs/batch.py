"""weir-batch, which compiles and runs many graphs in one process.

A test that calls `check` or `run_tool`, or asks for what fails, ends with a
message at the first failure. Tools are those that PATH finds first.
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
# Where safetensors_file and matmul_chains lie, which benchmarks use as well.
sys.path += [str(ROOT / "utils"), str(ROOT / "utils" / "bench")]


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
        self.process = subprocess.Popen(
            ["weir-batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True)

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
