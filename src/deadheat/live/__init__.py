"""The report while its race runs, for browsers on this machine: a process of its own that only reads.

`Watch` (in the referee) takes the port and starts the process; `server` answers browsers from what
`follower` has read of the journal. The race never waits for it and does not notice when it dies.
"""
