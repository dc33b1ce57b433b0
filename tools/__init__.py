"""What maintainers build the course with; lectures and students never import it."""
