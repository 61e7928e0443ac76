#!/usr/bin/env bash
# Makes the Python environment in which networks are made and compared, with the
# peers in it: utils/bench/setup.sh FOLDER. It may be run again at any time.
set -euo pipefail
if [ $# != 1 ] || [ "$1" = --help ]; then
  echo "usage: utils/bench/setup.sh FOLDER" >&2
  exit 2
fi
wanted=$(dirname "${BASH_SOURCE[0]}")/requirements.txt
[ -x "$1/bin/pip" ] || python3 -m venv "$1"
"$1/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$wanted"
echo "setup: $1/bin/python runs utils/bench/compare.py"
