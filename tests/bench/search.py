#!/usr/bin/env python3
"""Compares magi-tool's grep and find with ripgrep and fd on large trees, in one run, and prints one table.

    tests/bench/search.py [--build build] [--runs 9] [--rg rg] [--fd fd] [--check]

Trees: one that is made here (50,000 small files of source, with ignore files) and the system's own /usr/include and
/usr/share.  Each figure is the median of user and system time and of elapsed time; what counts is the ratio of elapsed
times, since the machine's speed drifts.  The commands run alternately.  With --check the exit status is 1 where a ratio
is beyond 1.5.
"""
import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

GOAL = 1.5


def make_tree(root, files=50_000):
    rng = random.Random(20261201)
    words = [''.join(rng.choice('abcdefghijklmnopqrstuvwxyz_') for _ in range(rng.randint(3, 11))) for _ in range(2000)]
    os.makedirs(os.path.join(root, '.git', 'info'))
    with open(os.path.join(root, '.gitignore'), 'w') as f:
        f.write('*.o\nbuild/\n*.log\n!keep.log\n/out\n')
    for n in range(files):
        folder = os.path.join(root, f'm{n % 40:02}', f'd{n // 40 % 60:02}')
        os.makedirs(folder, exist_ok=True)
        lines = [' '.join(rng.choices(words, k=8)) + ';' for _ in range(rng.randint(5, 60))]
        if n % 5000 == 7:
            lines[2] = 'static int NeedleInHaystack(void) { return 42; }'
        with open(os.path.join(folder, f'f{n}' + rng.choice(['.c', '.h', '.cc', '.py', '.o', '.txt'])), 'w') as f:
            f.write('\n'.join(lines) + '\n')


def spent(command):
    """User and system time together, and elapsed time, in seconds."""
    before, start = os.times(), time.monotonic()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    elapsed, after = time.monotonic() - start, os.times()
    if done.returncode not in (0, 1):
        sys.exit(f'{command}: {done.stderr.decode()}')
    return after.children_user - before.children_user + after.children_system - before.children_system, elapsed


def compare(name, ours, theirs, runs):
    for command in (ours, theirs):
        spent(command)
    figures = {'ours': [], 'theirs': []}
    for _ in range(runs):
        figures['ours'].append(spent(ours))
        figures['theirs'].append(spent(theirs))
    cpu = {who: statistics.median(x[0] for x in list_) for who, list_ in figures.items()}
    wall = {who: statistics.median(x[1] for x in list_) for who, list_ in figures.items()}
    ratio = wall['ours'] / wall['theirs']
    print(f'{name:42} {wall["ours"] * 1e3:8.1f} {wall["theirs"] * 1e3:8.1f} {ratio:6.2f}{"!" if ratio > GOAL else " "}'
          f' {cpu["ours"] * 1e3:8.1f} {cpu["theirs"] * 1e3:8.1f} {cpu["ours"] / max(cpu["theirs"], 1e-3):6.2f}', flush=True)
    return ratio


def main():
    p = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    p.add_argument('--build', default=os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'build'))
    p.add_argument('--runs', type=int, default=9)
    p.add_argument('--rg', default=shutil.which('rg') or '')
    p.add_argument('--fd', default=shutil.which('fd') or shutil.which('fdfind') or '')
    p.add_argument('--files', type=int, default=50_000)
    p.add_argument('--check', action='store_true')
    args = p.parse_args()
    if not args.rg or not args.fd:
        sys.exit('search.py: needs rg and fd (fdfind)')
    tool = os.path.join(os.path.abspath(args.build), 'bin', 'magi-tool')
    with tempfile.TemporaryDirectory() as scratch:
        tree = os.path.join(scratch, 'tree')
        make_tree(tree, args.files)
        home = os.path.join(scratch, 'home')
        os.environ.update(HOME=home, MC_HOME=os.path.join(home, 'mc'), LC_ALL='C')
        print(f'{"":42} {"ms":>8} {"ms":>8} {"":7} {"CPU ms":>8} {"CPU ms":>8}')
        print(f'{"":42} {"ours":>8} {"theirs":>8} {"ratio":>6}  {"ours":>8} {"theirs":>8} {"ratio":>6}')
        worst = 0.0
        for label, root in (('50k files', tree), ('/usr/include', '/usr/include'), ('/usr/share', '/usr/share')):
            for name, pattern, flags in (('a word', 'NeedleInHaystack', []),
                                         ('an expression', r'Needle\w+\(void\)', []),
                                         ('no literal', r'[A-Z][a-z]{5}In[A-Z]\w+k\(', []),
                                         ('either case', 'needleinhaystack', ['-i'])):
                arguments = '{"pattern":"%s"%s}' % (pattern.replace('\\', '\\\\'), ',"ignore_case":true' if flags else '')
                worst = max(worst, compare(f'grep, {label}, {name}', [tool, '--root', root, 'grep', arguments],
                                           [args.rg, '-n', '--no-config', *flags, '-e', pattern, root], args.runs))
            for name, pattern in (('by ending', '*.cc'), ('all of a name', '*needle*')):
                worst = max(worst, compare(f'find, {label}, {name}', [tool, '--root', root, 'find', pattern],
                                           [args.fd, '--glob', pattern, root], args.runs))
        print(f'worst ratio: {worst:.2f} (goal: {GOAL})')
        return 1 if args.check and worst > GOAL else 0


if __name__ == '__main__':
    sys.exit(main())
