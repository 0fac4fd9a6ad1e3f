"""Measures what tools/figures compares. Arguments: a folder with the programs, and whether --release and --write
were given."""

import os
import pathlib
import re
import sys
import time

work, release, write = sys.argv[1:]
WORSE = 1.15
TABLE = pathlib.Path("docs/performance.md")
EXAMPLE = pathlib.Path("testdata/quickstart/aws.yaml")
RUNS = 5


def run(command, cwd="."):
    """Seconds and largest resident set in MiB of a process. What this interpreter has in memory itself is the least
    that can be measured."""
    quiet = [(os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_RDWR, 0) for fd in (0, 1, 2)]
    here = os.getcwd()
    os.chdir(cwd)
    begin = time.perf_counter()
    child = os.posix_spawn(command[0], command, {"HOME": work, "PATH": os.environ["PATH"]}, file_actions=quiet)
    os.chdir(here)
    _, status, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - begin
    if status != 0:
        sys.exit(f"{' '.join(command[:4])} ended with {os.waitstatus_to_exitcode(status)}")
    return seconds, usage.ru_maxrss / 1024


def best(command, cwd="."):
    runs = [run(command, cwd) for _ in range(RUNS)]
    return min(seconds for seconds, _ in runs), min(memory for _, memory in runs)


def megabytes(name):
    return os.path.getsize(os.path.join(work, name)) / 1e6


def code_of(path):
    """Lines of code: without tests, comments and blank lines."""
    count = 0
    for line in path.read_text().splitlines():
        if line == "#[cfg(test)]":
            break
        text = line.strip()
        count += bool(text) and not text.startswith("//")
    return count


def sources(folder):
    of_tests = re.compile(r"(^|/)tests(/|\.rs$)")
    return [path for path in pathlib.Path(folder).rglob("*.rs") if not of_tests.search(str(path.relative_to(folder)))]


def programs(name, example, files, names):
    """Memory of the usual commands."""
    program = os.path.join(work, name)
    cluster = pathlib.Path(work, f"cluster-{name}")
    cluster.mkdir()
    (cluster / "install-config.yaml").write_text(example)
    making = [program, "create", "manifests", "--offline", "--quiet", "--dir", str(cluster)]
    return {
        "validate, 15 lines": best([program, "validate", str(cluster / "install-config.yaml")])[1],
        "validate, 1,000 files": best([program, "validate", "-o", "json", *names], files)[1],
        "create manifests": best(making)[1],
    }


example = EXAMPLE.read_text()
files = pathlib.Path(work, "files")
files.mkdir()
names = [f"c{i:04}.yaml" for i in range(1000)]
for i, name in enumerate(names):
    (files / name).write_text(example.replace("name: demo\n", f"name: demo-{i:04}\n"))

crates = {path.parent.parent.name: path.parent for path in pathlib.Path("crates").glob("*/src/lib.rs")}
lines = {name: sum(map(code_of, sources(folder))) for name, folder in crates.items() if name != "testing"}
lines["landfall"] = sum(map(code_of, sources("src")))
everything = [*pathlib.Path("src").rglob("*.rs"), *pathlib.Path("crates").rglob("*.rs"), *pathlib.Path("tests").rglob("*.rs")]
judge = [os.path.join(work, "landfall"), "validate", "-o", "json"]

# Names as the table has them; the unit is the last word.
found = {
    "lines of code, without tests and comments": sum(lines.values()),
    "lines of the largest crate": max(lines.values()),
    "lines of the longest file, tests included": max(len(path.read_text().splitlines()) for path in everything),
    "packages in Cargo.lock": pathlib.Path("Cargo.lock").read_text().count("[[package]]"),
    "development build, without symbols, MB": megabytes("landfall"),
    "1,000 files against 250, times as long": best([*judge, *names], files)[0] / best([*judge, *names[:250]], files)[0],
}
for what, memory in programs("landfall", example, files, names).items():
    found[f"development build, {what}, MiB"] = memory
if release:
    found["program that ships, MB"] = megabytes("release")
    found["program of the controllers' image, MB"] = megabytes("image")
    for what, memory in programs("release", example, files, names).items():
        found[f"program that ships, {what}, MiB"] = memory

text = TABLE.read_text()
row = re.compile(r"^\| ([^|]+) \| ([0-9.,]+) \| ([0-9.,-]+) \|$", re.MULTILINE)
section = text.split("## Watched figures", 1)[1].split("\n## ", 1)[0]
aims = {match[1]: float(match[2].replace(",", "")) for match in row.finditer(section)}
missing = [name for name in found if name not in aims]
if missing:
    sys.exit(f"{TABLE} has no aim for: {'; '.join(missing)}")


def shown(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


print("| figure | aim | measured |")
print("|---|---|---|")
worse = []
for name, value in found.items():
    print(f"| {name} | {shown(aims[name])} | {shown(value)} |")
    if value > aims[name] * WORSE:
        worse.append(f"{name}: {shown(value)}, which is more than 15 % worse than {shown(aims[name])}")
if write:
    def measured(match):
        name = match[1]
        return f"| {name} | {match[2]} | {shown(found[name])} |" if name in found else match[0]
    TABLE.write_text(text.replace(section, row.sub(measured, section)))
if worse:
    sys.exit("\n".join(worse))
