"""What one lecture alone shows and uses: its NumPy, its small models, its helpers."""
