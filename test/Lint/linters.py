"""Loads the linters of utils/, whose file names are no module names."""
import importlib.util
import pathlib
import sys

UTILS = pathlib.Path(__file__).resolve().parents[2] / "utils"
sys.path.insert(0, str(UTILS))


def load(name):
    spec = importlib.util.spec_from_file_location(
        name.replace("-", "_"), UTILS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
