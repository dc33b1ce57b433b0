"""What maintainers build the course with; lectures and students never import it."""

import course_utils  # noqa: F401  it lets every command print in any terminal
