"""Published studies by their own method: plan, run, results."""
