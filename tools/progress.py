"""Show while lectures run which one is at which cell: live on a terminal, lines elsewhere."""

import sys
import threading
import time
from dataclasses import dataclass, field

from rich.console import Console
from rich.live import Live
from rich.table import Table


@dataclass
class _Lecture:
    cells: int
    cell: int = 0
    state: str = "waiting"
    began: float = 0.0
    seconds: float = 0.0

    def __str__(self):
        seconds = time.monotonic() - self.began if self.state == "running" else self.seconds
        where = f"cell {self.cell:>2} of {self.cells}" if self.cell else ""
        return (
            f"{self.state:<9} {where:<14} {f'{seconds:5.0f} s' if self.began else ''}".rstrip()
        )


@dataclass
class Progress:
    """What is running, as a context manager; its methods may be called from any thread.

    Args:
        every: seconds between two lines about running lectures, where there is no terminal.
    """

    every: float = 10.0
    lectures: dict[str, _Lecture] = field(default_factory=dict)

    def __post_init__(self):
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._console = Console(file=sys.stdout)
        self._live = None

    def __enter__(self):
        if self._console.is_terminal:
            self._live = Live(get_renderable=self._table, console=self._console)
            self._live.start()
        else:
            threading.Thread(target=self._print_now_and_then, daemon=True).start()
        return self

    def __exit__(self, *error):
        self._done.set()
        if self._live:
            self._live.stop()

    def waiting(self, name: str, cells: int) -> None:
        """Say that a lecture with so many code cells is going to run."""
        self.lectures[name] = _Lecture(cells)

    def started(self, name: str) -> None:
        """Say that the lecture's kernel starts now."""
        self.lectures[name].state, self.lectures[name].began = "running", time.monotonic()
        self._say(name)

    def at(self, name: str, cell: int) -> None:
        """Say that the lecture's code cell number `cell` starts now."""
        self.lectures[name].cell = cell

    def ended(self, name: str, state: str) -> float:
        """Say how the lecture ended ("done", "failed"); returns the seconds since its start."""
        lecture = self.lectures[name]
        lecture.seconds = time.monotonic() - lecture.began
        lecture.state = state
        self._say(name)
        return lecture.seconds

    def _say(self, name: str) -> None:
        if not self._live:
            with self._lock:
                print(f"{name}  {self.lectures[name]}", flush=True)

    def _print_now_and_then(self) -> None:
        while not self._done.wait(self.every):
            for name, lecture in list(self.lectures.items()):
                if lecture.state == "running":
                    self._say(name)

    def _table(self) -> Table:
        table = Table.grid(padding=(0, 2))
        for name, lecture in list(self.lectures.items()):
            table.add_row(name, str(lecture))
        return table
