"""gRPC servers: how they are checked and measured."""
