#!/usr/bin/env python3
"""How many secrets are found in 50 MB of code and documents that hold none, and how fast.

    tests/bench/secrets.py [BUILD]      finds are printed, to be judged by eye: examples of keys in documents are real shapes
"""
import pathlib
import random
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["/usr/include", "/usr/lib/python3", "/usr/lib/python3.11", "/usr/share/doc", "/usr/share/perl", str(ROOT)]
WANTED = 50_000_000
LEFT_OUT = {".pyc", ".so", ".a", ".o", ".gz", ".png", ".bin"}


def main():
    build = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build"
    files = []
    for folder in FOLDERS:
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if path.suffix not in LEFT_OUT and "/build/" not in str(path) and "/.git/" not in str(path) and path.is_file():
                files.append(path)
    random.Random(1).shuffle(files)
    chosen, total = [], 0
    for path in files:
        size = path.stat().st_size
        if size > 2_000_000:
            continue
        chosen.append(str(path))
        total += size
        if total >= WANTED:
            break
    for start in range(0, len(chosen), 5000):
        subprocess.run([build / "tests" / "magi-bench-secrets", *chosen[start:start + 5000]], check=True)
    print(f"{len(chosen)} files, {total / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
