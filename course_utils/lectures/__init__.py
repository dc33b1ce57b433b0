"""What one lecture alone shows and uses: a module a lecture."""
