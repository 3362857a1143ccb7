"""What each kind of workload is: pure traits, one file a kind. How each is driven: the room `kinds/`."""
