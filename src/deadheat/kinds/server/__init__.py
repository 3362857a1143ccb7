"""What kinds http and grpc share: a block of servers under load, and a server's check."""
