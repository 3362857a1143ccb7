"""What a verb of the command line does: sessions, checks, reports."""
