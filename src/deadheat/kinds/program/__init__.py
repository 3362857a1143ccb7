"""Programs that run to completion: how they are checked and measured."""
