"""A workload and contenders that never run: what results, exports and pages made up for tests are of."""

ECHO = """\
title = "Echo"
question = "Who echoes fastest?"
kind = "http"
metric = "throughput_rps"
reference = "slow"
[request]
path = "/{token}"
[[conformance]]
path = "/{token}"
body = "{token}"
"""
STUDY = """\
study = "s"
title = "T"
date = "2020"
versions = "1"
machine = "M"
method = "one run each"

[[claim]]
where = "there"
workload = "echo"
"""


def contender(name: str, class_: str, arguments: str) -> str:
    """The contender.toml of a C program in its folder, a default of its workload."""
    run = f"./{name} {arguments}".rstrip()
    return f'title = "{name}"\nlanguage = "C"\nclass = "{class_}"\nrun = "{run}"\ndefault = true\n'
