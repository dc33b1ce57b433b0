"""Speed, judged as ratios within one run: `make bench` records it for the lectures to show."""
