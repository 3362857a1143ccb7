"""A site of runs: pages that link to one another, ask nothing of any network, and can be opened as files."""
