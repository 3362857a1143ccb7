"""What can be settled on this machine, and how often the method errs here: by races whose truth is known."""
