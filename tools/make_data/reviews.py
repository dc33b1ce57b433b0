"""Write data/reviews.csv.xz, the default output of the grammar in course_utils/data/reviews.py.

python -m tools.make_data.reviews
"""

from course_utils.data.reviews import make_table
from tools.make_data import write_table


def write() -> None:
    """Make the default reviews and keep them."""
    table = make_table()
    write_table("reviews.csv.xz", table, zip(*table.values(), strict=True))


if __name__ == "__main__":
    write()
