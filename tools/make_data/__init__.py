"""Makers of the frozen sets in data/: `python -m tools.make_data.<name>` writes one again."""
