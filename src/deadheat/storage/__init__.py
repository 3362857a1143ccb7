"""What a run leaves on disk: its folder, its journal, the checksum of its results."""
