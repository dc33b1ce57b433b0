"""Write course.zip: all that the notebooks need on Colab, for a course with no public address.

It holds what git tracks, as it lies in the working tree: the library, the data, the recorded
results but for their pages and plots, and the notebooks without their outputs. The same files
give the same bytes.
"""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

from course_utils import saving
from tools.command_line import parser
from tools.shows import ROOT

PARTS = ("course_utils", "lectures", "data", "results", "notebooks", "pyproject.toml")
PARTS += ("README.md", "LICENSE*", "requirements.txt")
PARTS += (":!lectures/*/tests/*", ":!results/plots", ":!results/*.md")
# Most of it are the shipped weights; one MB is the course's own data.
LIMIT = 11_000_000


def without_outputs(notebook: bytes) -> bytes:
    """Return a notebook's JSON with every output and execution count taken out."""
    content = json.loads(notebook)
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
            cell.get("metadata", {}).pop("answer", None)
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode("utf-8")


def tracked(root: Path) -> list[str]:
    """Return the tracked files that belong into the archive, requirements.txt last.

    The notebooks' first cell takes requirements.txt for the sign of a whole unpacked course.
    """
    command = ["git", "-C", root, "ls-files", "-z", "--", *PARTS]
    names = filter(None, subprocess.check_output(command, encoding="utf-8").split("\0"))
    return sorted(names, key=lambda name: (name == "requirements.txt", name))


def write_zip(root: Path = ROOT, limit: int = LIMIT) -> Path:
    """Write `root`/course.zip and return its path.

    Raises:
        RuntimeError: when the archive would be larger than `limit` bytes; an older course.zip
            stays as it was.
    """
    target = root / "course.zip"
    with saving.whole(target) as beside:
        with zipfile.ZipFile(beside, "w") as archive:
            for name in tracked(root):
                content = (root / name).read_bytes()
                if name.endswith(".ipynb"):
                    content = without_outputs(content)
                member = zipfile.ZipInfo(name)  # dated 1980: the clock must not show
                member.external_attr, member.create_system = 0o644 << 16, 3
                archive.writestr(member, content, zipfile.ZIP_DEFLATED, 9)
            largest = max(archive.infolist(), key=lambda member: member.compress_size)
        size = beside.stat().st_size
        if size > limit:
            raise RuntimeError(
                f"course.zip would have {size / 1e6:.1f} MB and may have {limit / 1e6:.1f} MB. "
                f"Its largest file: {largest.filename}, {largest.compress_size / 1e6:.1f} MB"
            )
    return target


def main() -> None:
    """Write the archive and say where it is and how large."""
    parser("tools.colab_zip", __doc__).parse_args()
    try:
        path = write_zip()
    except (RuntimeError, OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"colab-zip: {error}")
    print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
