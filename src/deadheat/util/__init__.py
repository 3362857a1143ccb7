"""What any room may use: files, paths, time, Ctrl-C."""
