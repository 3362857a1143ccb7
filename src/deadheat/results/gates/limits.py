"""Limits that more than one room holds figures against."""

# How far the sum of latencies may be from the time integral of requests in flight (Little 1961).
LITTLES_LAW = 0.05
# Of its CPUs, what a load generator may use before a race says as much of it as of the server.
GENERATOR_CPU = 0.85
# Of CPUs that it shares with the servers, what it may take of them.
GENERATOR_SHARE = 0.15
