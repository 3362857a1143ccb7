"""Which variables of the user's environment change what a build makes: they belong to its key.

A build is given the whole environment, since it may need whatever the user's own builds do (proxies,
registries, caches). Most of it leaves the artifact as it is and would only build again for nothing: these are
the ones that compilers and build tools document as changing what they make.
"""

from collections.abc import Mapping

NAMES = frozenset(
    {
        *("AR", "CC", "CXX", "LD", "CFLAGS", "CPPFLAGS", "CXXFLAGS", "LDFLAGS", "LDLIBS", "MAKEFLAGS"),
        *("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "PKG_CONFIG_PATH"),
        *("RUSTC", "RUSTC_BOOTSTRAP", "RUSTFLAGS", "RUSTUP_TOOLCHAIN"),
        *("GO111MODULE", "GOAMD64", "GOARCH", "GOARM64", "GOEXPERIMENT", "GOFIPS140", "GOFLAGS", "GOOS"),
        *("CRYSTAL_LIBRARY_PATH", "CRYSTAL_LIBRARY_RPATH", "CRYSTAL_OPTS", "CRYSTAL_PATH"),
        *("ELIXIR_ERL_OPTIONS", "ERL_COMPILER_OPTIONS", "MIX_ENV", "MIX_TARGET"),
        *("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "MAVEN_ARGS", "MAVEN_OPTS"),
        *("NODE_ENV", "NODE_OPTIONS", "RUBYOPT", "SOURCE_DATE_EPOCH"),
    }
)
PREFIXES = ("CARGO_BUILD_", "CARGO_ENCODED_", "CARGO_PROFILE_", "CARGO_TARGET_", "CGO_")
# Where and by how many at a time, not what.
BUT = frozenset({"CARGO_BUILD_BUILD_DIR", "CARGO_BUILD_JOBS"})


def deciding(environment: Mapping[str, str]) -> dict[str, str]:
    """Those of them that are set, by name."""
    return {
        name: value
        for name, value in sorted(environment.items())
        if name in NAMES or (name.startswith(PREFIXES) and name not in BUT)
    }
