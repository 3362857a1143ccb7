"""How each kind of workload is checked and measured: one module a kind."""
