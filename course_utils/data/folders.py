"""Where the course's files lie."""

from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "data"
CACHE = DATA / "cache"
