"""What one lecture shows and uses: its NumPy, its small models, its exercises' answers."""
