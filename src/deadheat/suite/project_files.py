"""What the file by which a project is known says of it, a function a language: how to build and start it."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PORT = "{port}"


@dataclass(frozen=True)
class Project:
    """`build` and `run` where they are known; `env` that it is started with. `port`: whether the line or the
    sources heed the port that it is given; `fixed` is a port that they name instead, `fixed_at` its file and
    line. `routes`: paths that it seems to answer. `said`: what is to be looked at."""

    language: str
    file: str
    build: str | None = None
    run: str | None = None
    artifact: str | None = None
    env: tuple[tuple[str, str], ...] = ()
    port: bool = False
    fixed: int | None = None
    fixed_at: str | None = None
    routes: tuple[str, ...] = ()
    said: tuple[str, ...] = ()


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text_of(path))
    except tomllib.TOMLDecodeError:
        return {}


def go(folder: Path, file: Path) -> Project:
    mains = sorted(
        {path.parent for path in folder.rglob("*.go") if _is_main(path)}, key=lambda at: len(at.parts)
    )
    if not mains:
        return Project("Go", file.name, said=("no package main was found",))
    place = "." if mains[0] == folder else f"./{mains[0].relative_to(folder)}"
    said = () if len(mains) == 1 else (f"several packages main: {place} was taken",)
    # Without its commit in it: else no two builds would be the same program.
    return Project("Go", file.name, f"go build -buildvcs=false -o app {place}", "./app", said=said)


def _is_main(path: Path) -> bool:
    is_test = path.name.endswith("_test.go")
    return not is_test and re.search(r"^package main\b", text_of(path), re.MULTILINE) is not None


def rust(folder: Path, file: Path) -> Project:
    manifest = _toml(file)
    name = next((one.get("name") for one in manifest.get("bin", [])), manifest.get("package", {}).get("name"))
    if name is None:
        return Project("Rust", file.name, said=("a workspace: which of its programs is the server?",))
    locked = " --locked" if (folder / "Cargo.lock").exists() else ""
    return Project("Rust", file.name, f"cargo build --release{locked}", f"./target/release/{name}")


def javascript(folder: Path, file: Path) -> Project:
    try:
        package = json.loads(text_of(file))
    except json.JSONDecodeError:
        package = {}
    scripts = package.get("scripts", {}) if isinstance(package, dict) else {}
    tool, install = next(
        ((tool, line) for lock, tool, line in _LOCKS if (folder / lock).exists()), ("npm", "npm install")
    )
    needed = bool(package.get("dependencies") or package.get("devDependencies"))
    steps = ([install] if needed else []) + ([f"{tool} run build"] if "build" in scripts else [])
    start = scripts.get("start") or (f"node {package['main']}" if package.get("main") else None)
    if start is not None and not re.match(r"(node|bun|deno) [^&|;<>$]+$", start):
        start = f"{tool} run start"
    language = "TypeScript" if (folder / "tsconfig.json").exists() else "JavaScript"
    env = (("NODE_ENV", "production"),)
    return Project(language, file.name, " && ".join(steps) or None, start, env=env)


_LOCKS = (
    ("package-lock.json", "npm", "npm ci"),
    ("pnpm-lock.yaml", "pnpm", "pnpm install --frozen-lockfile"),
    ("yarn.lock", "yarn", "yarn install --frozen-lockfile"),
    ("bun.lock", "bun", "bun install --frozen-lockfile"),
)


def python(folder: Path, file: Path) -> Project:
    what = "-r requirements.txt" if file.name == "requirements.txt" else "."
    # Called as a module: scripts of an environment name the folder that it was made in.
    python = ".venv/bin/python"
    build = f"python3 -m venv .venv && {python} -m pip install --quiet {what}"
    if (folder / "manage.py").exists():
        return Project("Python", file.name, build, f"{python} manage.py runserver --noreload {PORT}")
    for path in sorted(folder.glob("*.py")):
        text = text_of(path)
        if app := re.search(r"^(\w+) *= *(?:FastAPI|Starlette|Litestar|Quart)\(", text, re.MULTILINE):
            return Project(
                "Python", file.name, build, f"{python} -m uvicorn {path.stem}:{app[1]} --port {PORT}"
            )
        if app := re.search(r"^(\w+) *= *Flask\(", text, re.MULTILINE):
            return Project(
                "Python", file.name, build, f"{python} -m flask --app {path.stem}:{app[1]} run --port {PORT}"
            )
    script = next((name for name in ("server.py", "app.py", "main.py") if (folder / name).exists()), None)
    return Project("Python", file.name, build, f"{python} {script}" if script is not None else None)


def maven(folder: Path, file: Path) -> Project:
    text = text_of(file)
    own = re.sub(r"<(parent|dependencies|build|profiles)>.*?</\1>", "", text, flags=re.DOTALL)
    name, version = (re.search(rf"<{key}>([^<$]+)</{key}>", own) for key in ("artifactId", "version"))
    maven = "./mvnw" if (folder / "mvnw").exists() else "mvn"
    build = f"{maven} --quiet -DskipTests package"
    if "quarkus" in text:
        jar, port = "target/quarkus-app/quarkus-run.jar", f"-Dquarkus.http.port={PORT} "
        return Project("Java", file.name, build, f"java {port}-jar {jar}", "target/quarkus-app")
    if name is None or version is None:
        return Project("Java", file.name, build, said=("which jar of target/ is the server?",))
    jar = f"target/{name[1]}-{version[1]}.jar"
    port = f" --server.port={PORT}" if "spring-boot" in text else ""
    return Project("Java", file.name, build, f"java -jar {jar}{port}", jar)


def gradle(folder: Path, file: Path) -> Project:
    text = text_of(file)
    settings = "".join(text_of(path) for path in sorted(folder.glob("settings.gradle*")))
    named = re.search(r"""rootProject\.name\s*=\s*["']([^"']+)""", settings)
    name = named[1] if named else folder.name
    gradle = "./gradlew" if (folder / "gradlew").exists() else "gradle"
    language = "Kotlin" if "kotlin" in text else "Java"
    if "spring" in text:
        version = re.search(r"""^version\s*=\s*["']([^"']+)""", text, re.MULTILINE)
        jar = f"build/libs/{name}{f'-{version[1]}' if version else ''}.jar"
        return Project(
            language, file.name, f"{gradle} --quiet bootJar", f"java -jar {jar} --server.port={PORT}", jar
        )
    place = f"build/install/{name}"
    port = f" -port={PORT}" if "EngineMain" in text else ""
    return Project(language, file.name, f"{gradle} --quiet installDist", f"./{place}/bin/{name}{port}", place)


def elixir(folder: Path, file: Path) -> Project:
    text = text_of(file)
    app = re.search(r"app: :(\w+)", text)
    build = "mix deps.get --only prod && MIX_ENV=prod mix release --overwrite"
    env = (("PHX_SERVER", "true"),) if "phoenix" in text else ()
    said = (
        ("Phoenix wants SECRET_KEY_BASE, and what else config/runtime.exs asks for, in env",) if env else ()
    )
    place = f"_build/prod/rel/{app[1]}" if app else None
    run = f"{place}/bin/{app[1]} start" if app else None
    return Project("Elixir", file.name, build, run, place, env, said=said)


def ruby(folder: Path, file: Path) -> Project:
    text = text_of(file)
    build = "bundle config set --local path vendor/bundle && bundle install --quiet"
    if re.search(r"""gem ["']rails["']""", text):
        env = (("RAILS_ENV", "production"),)
        return Project("Ruby", file.name, build, f"bundle exec rails server -p {PORT}", env=env)
    if "puma" in text and (folder / "config.ru").exists():
        return Project("Ruby", file.name, build, f"bundle exec puma -e production -p {PORT}")
    if (folder / "config.ru").exists():
        return Project("Ruby", file.name, build, f"bundle exec rackup -E production -p {PORT}")
    script = next((name for name in ("app.rb", "server.rb", "main.rb") if (folder / name).exists()), None)
    return Project("Ruby", file.name, build, f"bundle exec ruby {script}" if script is not None else None)


def crystal(folder: Path, file: Path) -> Project:
    text = text_of(file)
    named = re.search(r"^targets:\s*\n\s+(\w[\w-]*):", text, re.MULTILINE) or re.search(
        r"^name: *(\S+)", text, re.M
    )
    port = f" --port {PORT}" if re.search(r"^\s+kemal:", text, re.MULTILINE) else ""
    run = f"./bin/{named[1]}{port}" if named else None
    return Project("Crystal", file.name, "shards build --release --production", run)


def perl(folder: Path, file: Path) -> Project:
    build = "cpanm --quiet --notest --local-lib-contained local --installdeps ."
    env = (("PERL5LIB", "local/lib/perl5"),)
    for path in sorted([*folder.glob("*.pl"), *folder.glob("script/*")]):
        if path.is_file() and "Mojolicious" in text_of(path):
            run = f"perl {path.relative_to(folder)} daemon -m production -l http://127.0.0.1:{PORT}"
            return Project("Perl", file.name, build, run, env=env)
    if psgi := next(iter(sorted(folder.glob("*.psgi"))), None):
        return Project(
            "Perl", file.name, build, f"local/bin/plackup -E production -p {PORT} {psgi.name}", env=env
        )
    return Project("Perl", file.name, build, env=env)


def php(folder: Path, file: Path) -> Project:
    top = "public" if (folder / "public").is_dir() else "."
    build = "composer install --quiet --no-dev --optimize-autoloader"
    return Project("PHP", file.name, build, f"php -S 127.0.0.1:{PORT} -t {top}")


def dotnet(folder: Path, file: Path) -> Project:
    run = f"dotnet out/{file.stem}.dll --urls http://127.0.0.1:{PORT}"
    return Project("C#", file.name, "dotnet publish --nologo -v quiet -c Release -o out", run, "out")
