"""What a project's files say of it: language, build, start, port and routes; and the bench file from that."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from deadheat.model.bench import BenchFile
from deadheat.suite import bench_file, new_bench
from deadheat.suite.found_project import found
from deadheat.suite.project_files import Project

POM = """<project><parent><artifactId>spring-boot-starter-parent</artifactId><version>3</version></parent>
<artifactId>shop</artifactId><version>1.2</version></project>"""
# Files of a project, its language, and how it is started.
PROJECTS: dict[str, tuple[dict[str, str], str, str | None]] = {
    "go": ({"go.mod": "module a", "main.go": 'package main\nvar p = os.Getenv("PORT")'}, "Go", "./app"),
    "rust": ({"Cargo.toml": '[package]\nname = "shop"'}, "Rust", "./target/release/shop"),
    "rust workspace": ({"Cargo.toml": '[workspace]\nmembers = ["a"]'}, "Rust", None),
    "node": ({"package.json": '{"scripts": {"start": "node s.js"}}'}, "JavaScript", "node s.js"),
    "node framework": (
        {"package.json": '{"scripts": {"start": "next start"}}', "tsconfig.json": "{}"},
        "TypeScript",
        "npm run start",
    ),
    "flask": (
        {"requirements.txt": "flask", "shop.py": "app = Flask(__name__)"},
        "Python",
        ".venv/bin/python -m flask --app shop:app run --port {port}",
    ),
    "fastapi": (
        {"pyproject.toml": "", "main.py": "app = FastAPI()"},
        "Python",
        ".venv/bin/python -m uvicorn main:app --port {port}",
    ),
    "spring": ({"pom.xml": POM}, "Java", "java -jar target/shop-1.2.jar --server.port={port}"),
    "ktor": (
        {
            "build.gradle.kts": 'kotlin("jvm")\nmainClass.set("io.ktor.server.netty.EngineMain")',
            "settings.gradle.kts": 'rootProject.name = "shop"',
        },
        "Kotlin",
        "./build/install/shop/bin/shop -port={port}",
    ),
    "phoenix": ({"mix.exs": "app: :shop, {:phoenix, 1}"}, "Elixir", "_build/prod/rel/shop/bin/shop start"),
    "rails": ({"Gemfile": 'gem "rails"'}, "Ruby", "bundle exec rails server -p {port}"),
    "kemal": (
        {"shard.yml": "name: shop\ntargets:\n  server:\n    main: a.cr\ndependencies:\n  kemal:\n"},
        "Crystal",
        "./bin/server --port {port}",
    ),
    "mojolicious": (
        {"cpanfile": "", "shop.pl": "use Mojolicious::Lite;\nget '/items' => sub {};"},
        "Perl",
        "perl shop.pl daemon -m production -l http://127.0.0.1:{port}",
    ),
    "php": ({"composer.json": "{}", "public/index.php": ""}, "PHP", "php -S 127.0.0.1:{port} -t public"),
    "dotnet": (
        {"Shop.csproj": "<Project/>"},
        "C#",
        "dotnet out/Shop.dll --urls http://127.0.0.1:{port}",
    ),
}


def project(folder: Path, files: dict[str, str]) -> Project | None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return found(folder)


@pytest.mark.parametrize("name", PROJECTS)
def test_each_language(tmp_path: Path, name: str) -> None:
    files, language, run = PROJECTS[name]
    seen = project(tmp_path, files)
    assert seen is not None
    assert (seen.language, seen.run) == (language, run)
    text = new_bench.draft(new_bench.wanted(seen), seen)
    if run is not None:
        assert bench_file.parse(text, Path("it")).run == run
    else:
        assert '# run = "./server --port {port}"' in text and seen.said


def test_no_project_is_known_by_nothing(tmp_path: Path) -> None:
    assert project(tmp_path, {"README": "words"}) is None
    to_do = new_bench.to_do(new_bench.wanted(None), None)
    assert "no file here tells its language" in to_do[0] and "write run" in to_do[1]
    assert new_bench.to_do(new_bench.Wanted(None, "./it {port}"), None) == []


@pytest.mark.parametrize(
    ("source", "port", "fixed"),
    [
        ('http.ListenAndServe(":" + os.Getenv("PORT"), nil)', True, None),
        ('http.ListenAndServe(":8080", nil)', False, 8080),
        ("nothing of the kind", False, None),
    ],
)
def test_a_port_that_is_not_heeded_is_named_by_its_line(
    tmp_path: Path, source: str, port: bool, fixed: int | None
) -> None:
    seen = project(tmp_path, {"go.mod": "module a", "cmd/shop/main.go": f"package main\n{source}\n"})
    assert seen is not None
    assert seen.build == "go build -buildvcs=false -o app ./cmd/shop"
    assert (seen.port, seen.fixed) == (port, fixed)
    to_do = new_bench.to_do(new_bench.wanted(seen), seen)
    assert bool(to_do) != port
    assert fixed is None or to_do[0].startswith("cmd/shop/main.go:2 names port 8080: let it listen")


@pytest.mark.parametrize(
    "line",
    [
        'app.get("/users", all)',
        "get '/users' do",
        '@app.get("/users")',
        '@app.route("/users")',
        '@GetMapping("/users")',
        'mux.HandleFunc("GET /users", all)',
        'router.GET("/users", all)',
        '.route("/users", get(all))',
    ],
)
def test_its_first_route_is_asked_for(tmp_path: Path, line: str) -> None:
    seen = project(
        tmp_path, {"go.mod": "module a", "main.go": f'package main\n{line}\nget("/other/{{id}}")\n'}
    )
    assert seen is not None and seen.routes == ("/users",)
    asked = bench_file.parse(new_bench.draft(new_bench.wanted(seen), seen), Path("it")).request
    assert [request.path for request in asked] == ["/users"]


def test_what_stands_in_comments_is_right_too(tmp_path: Path) -> None:
    seen = project(tmp_path, {"go.mod": "module a", "main.go": "package main"})
    text = new_bench.draft(new_bench.wanted(seen), seen)
    shown = "\n".join(line.removeprefix("# ") for line in text.splitlines() if " = " in line or "[[" in line)
    whole = BenchFile.model_validate(tomllib.loads(shown))
    assert [request.method for request in whole.request] == ["GET", "POST"]
    assert whole.copied == (".env",)
