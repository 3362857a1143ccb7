"""Programs that send a pipeline to a service: that they send it, and read every reply, is proved."""
