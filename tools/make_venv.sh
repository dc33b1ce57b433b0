#!/bin/sh
# Make .venv from requirements.lock with the first Python that works and is new enough.
# PYTHON=… names another one.
set -eu
cd "$(dirname "$0")/.."

# Running each candidate finds version managers' shims, which exist but start nothing.
fits='import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'
found=
for candidate in ${PYTHON:-python3.13 python3.12 python3.11 python3 python}; do
    if "$candidate" -c "$fits" >/dev/null 2>&1; then
        found=$candidate
        break
    fi
done
if [ -z "$found" ]; then
    echo "No Python 3.11, 3.12 or 3.13 with its venv module was found (tried:" \
        "${PYTHON:-python3.13 python3.12 python3.11 python3 python})." >&2
    echo "Install one from python.org or, on Debian and Ubuntu, python3 and python3-venv" \
        "(where these are newer: uv python install 3.12);" \
        "or name one: PYTHON=/path/to/python make run" >&2
    exit 1
fi

echo "Installing into .venv with $("$found" --version); this takes a few minutes, once."
"$found" -m venv --clear .venv
.venv/bin/python -m pip install --disable-pip-version-check -r requirements.lock
.venv/bin/python -m pip install --disable-pip-version-check --no-deps --no-build-isolation -e .
touch .venv/installed
