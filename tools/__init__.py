"""What maintainers build the course with; lectures and students never import it."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036  it says so instead of a SyntaxError
    sys.exit("The course needs Python 3.11, 3.12 or 3.13; name one, such as: py -3.12 -m tools")

import course_utils  # noqa: F401  it lets every command print in any terminal
