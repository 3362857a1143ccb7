"""What deadheat-load costs beside other load generators: `python -m bench.load`."""
