"""Runs one contender's process on its cores and reads what it reports."""
import dataclasses
import json
import os
import resource
import subprocess

TIME_LIMIT_S = 900
MOST_CHARACTERS = 300


# Where Weir finds no cache of kernels, so that each compilation is a first one.
# Older versions have no flag for it.
COLD = {name: value for name, value in os.environ.items()
        if name not in ("HOME", "XDG_CACHE_HOME")}


class Unable(Exception):
    """A contender cannot run a network. The message says why."""


@dataclasses.dataclass(frozen=True)
class Setting:
    threads: int
    precision: str


def cores(threads):
    """The last processors that this process may use; the first ones serve
    interrupts."""
    mine = sorted(os.sched_getaffinity(0))
    if threads > len(mine):
        raise Unable(f"{threads} threads, but {len(mine)} cores")
    return mine[-threads:]


def reason(text):
    """The most informative line of a message, shortened."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    lines = lines or ["it failed and said nothing"]
    marked = [line for mark in ("error", "Error", "Exception")
              for line in lines if mark in line]
    return [*marked, lines[-1]][0][:MOST_CHARACTERS]


def run(command, threads, environment=None):
    """Runs a command and returns its standard output. Raises Unable if it
    fails."""
    chosen = cores(threads)
    try:
        done = subprocess.run(
            list(map(str, command)), encoding="utf-8", errors="replace",
            capture_output=True,
            timeout=TIME_LIMIT_S, env=environment,
            preexec_fn=lambda: os.sched_setaffinity(0, chosen))
    except FileNotFoundError:
        raise Unable(f"{command[0]} was not found") from None
    except subprocess.TimeoutExpired:
        raise Unable(f"took longer than {TIME_LIMIT_S} s") from None
    if done.returncode < 0:
        raise Unable(f"ended by signal {-done.returncode}")
    if done.returncode:
        raise Unable(reason(done.stderr))
    return done.stdout


def children_ms():
    """CPU time of the processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (usage.ru_utime + usage.ru_stime)


def run_json(command, threads):
    return json.loads(run(command, threads))
