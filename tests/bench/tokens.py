#!/usr/bin/env python3
"""Counts texts with magi-tokens and with packages of npm, in turn and by processor time, and prints a table.

usage: tests/bench/tokens.py [--npm DIR] [--seconds S] FILE...
DIR holds node_modules with tiktoken, gpt-tokenizer and ai-tokenizer, or some of them; each gets the text in parts of 64 KiB for
S seconds (5).  magi-tokens is a whole process; the first found on PATH or in build/bin.
"""
import argparse
import os
import resource
import shutil
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
NODE = r"""
const fs = require('fs'), [which, file, seconds] = process.argv.slice(1);
(async () => {
  let count;
  if (which === 'ai-tokenizer') {
    const { Tokenizer } = await import(which), t = new Tokenizer(await import(which + '/encoding/o200k_base'));
    count = s => t.count(s);
  } else if (which === 'gpt-tokenizer') {
    const { encode } = await import(which + '/encoding/o200k_base');
    count = s => encode(s).length;
  } else {
    const e = (await import(which)).get_encoding('o200k_base');
    count = s => e.encode_ordinary(s).length;
  }
  const text = fs.readFileSync(file, 'utf8');
  const used = t0 => { const u = process.cpuUsage(t0); return (u.user + u.system) / 1e6; };
  count(text.slice(0, 65536));
  let bytes = 0, t0 = process.cpuUsage();
  for (let i = 0; i < text.length && used(t0) < +seconds; i += 65536) {
    const part = text.slice(i, i + 65536);
    count(part);
    bytes += Buffer.byteLength(part);
  }
  console.log(bytes / used(t0) / 1e6);
})();
"""


def ours(tool, file, threads):
    """MB/s by processor time and by the clock, the best of three."""
    best = [0, 0]
    for _ in range(3):
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run([tool, '--text', '--threads', str(threads), file], check=True, stdout=subprocess.DEVNULL)
        after, end = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        size = os.path.getsize(file) / 1e6
        best = [max(best[0], size / used), max(best[1], size / (end - begin))]
    return best


def package(name, npm, file, seconds):
    run = subprocess.run(['node', '-e', NODE, name, os.path.abspath(file), str(seconds)], cwd=npm, capture_output=True, text=True)
    return float(run.stdout) if run.returncode == 0 and run.stdout else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--npm')
    parser.add_argument('--seconds', type=float, default=5)
    parser.add_argument('files', nargs='+')
    args = parser.parse_args()
    tool = shutil.which('magi-tokens') or os.path.join(HERE, '..', '..', 'build', 'bin', 'magi-tokens')
    for file in args.files:
        used, clock = ours(tool, file, 1)
        two = ours(tool, file, 2)[1]
        line = f'{os.path.basename(file)}: magi-tokens {used:.0f} MB/s ({clock:.0f} by the clock, {two:.0f} with two threads)'
        if args.npm:
            others = {name: package(name, args.npm, file, args.seconds) for name in ('ai-tokenizer', 'gpt-tokenizer', 'tiktoken')}
            line += ''.join(f', {name} {speed:.1f}' for name, speed in others.items())
            line += f': {used / max(max(others.values()), 1e-9):.0f} times the best'
        print(line, flush=True)


main()
