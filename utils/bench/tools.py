"""Where Weir's tools are."""
import shutil
import sys


def find(folder, name):
    """The tool `name` in `folder`. Ends the program if it is not there: one on
    the path may be of another build."""
    return shutil.which(name, path=folder) or sys.exit(
        f"error: there is no {name} in {folder}; build Weir, or name the "
        f"folder of its tools with --bin")
