"""What a workload asks: of servers by protocol, of programs by their arguments."""
