#!/usr/bin/env python3
"""Measures magi-export and magi-prune beside what bounds them, in one run.

    tests/bench/export.py                     a session of 1 GB, 20,000 sessions to prune
    tests/bench/export.py --gb 5 --check      a larger one, whose archive is read by unzip, python and 7z

Prints seconds on the clock, of processor time, and the largest resident size.  Nothing is written outside a folder of
its own below --dir.
"""
import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.path.join(ROOT, 'build', 'bin')
DAY_S = 86400


def private(path):
    os.makedirs(path, mode=0o700, exist_ok=True)
    return path


def line(session, when, text, kind='tool_result'):
    payload = {'turn_id': 't', 'call_id': 'c', 'result_id': 'r', 'status': 'success', 'output': text}
    if kind == 'user_input':
        payload = {'turn_id': 't', 'text': text}
    stamp = time.strftime('%Y-%m-%dT%H:%M:%S.000Z', time.gmtime(when))
    return json.dumps({'event_type': kind, 'event_id': '1', 'timestamp': stamp, 'session_id': session, 'cwd': '/w',
                       'payload': payload}, separators=(',', ':')) + '\n'


def source_texts():
    """Pieces of real text, so that compression has what it would have."""
    texts = []
    for folder, _, names in os.walk(ROOT):
        if '/build' in folder or '/.git' in folder:
            continue
        for name in names:
            if name.endswith(('.cc', '.h', '.md', '.bats', '.1', '.5')):
                with open(os.path.join(folder, name), encoding='utf-8', errors='replace') as file:
                    texts.append(file.read()[:20000])
    return texts


def big_session(path, size):
    texts, rng, written = source_texts(), random.Random(7), 0
    with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), 'w', encoding='utf-8', buffering=1 << 20) as out:
        out.write(line('big', time.time(), 'hello', 'user_input'))
        lines = [line('big', time.time(), text) for text in texts]
        while written < size:
            one = rng.choice(lines)
            out.write(one)
            written += len(one)


def run(name, command, stdout=subprocess.DEVNULL, **more):
    began = time.monotonic()
    child = subprocess.Popen(command, stdout=stdout, stderr=subprocess.DEVNULL, **more)
    output = child.stdout.read() if stdout == subprocess.PIPE else b''
    _, status, used = os.wait4(child.pid, 0)
    wall = time.monotonic() - began
    show(name, wall, used.ru_utime + used.ru_stime, used.ru_maxrss)
    if status:
        sys.exit(f'{name} failed')
    return wall, output


def show(name, wall, cpu, resident_kib=0):
    print(f'{name:44} {wall:8.2f} s {cpu:8.2f} s cpu {resident_kib / 1024:8.1f} MiB')


def deflate_alone(path):
    began, cpu = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_utime
    packer = zlib.compressobj(1, zlib.DEFLATED, -15)
    with open(path, 'rb') as file:
        while block := file.read(1 << 20):
            packer.compress(block)
    wall = time.monotonic() - began
    show('deflate alone (zlib, level 1)', wall, resource.getrusage(resource.RUSAGE_SELF).ru_utime - cpu)
    return wall


def measure_export(folder, size, check):
    home = private(os.path.join(folder, 'home'))
    path = os.path.join(private(os.path.join(home, 'sessions')), 'big.jsonl')
    big_session(path, size)
    os.chmod(os.path.dirname(path), 0o700)
    run('cat, to have it in memory', ['cat', path])
    ours, zip_path = run('magi-export', [f'{BIN}/magi-export', '--home', home, 'big'], subprocess.PIPE)
    zip_path = zip_path.decode().strip()
    if shutil.which('zip'):
        theirs, _ = run('zip -1', ['zip', '-1', '-q', os.path.join(folder, 'theirs.zip'), path])
        print(f'magi-export is at {theirs / ours:.2f} times the speed of zip -1')
    digest, _ = run('sha256sum', ['sha256sum', path])
    slower = max(digest, deflate_alone(path))
    print(f'magi-export takes {ours / slower:.2f} times the slower of the two (at most 1.5)')
    if check:
        for reader in (['unzip', '-tqq', zip_path], ['python3', '-m', 'zipfile', '-t', zip_path], ['7z', 't', zip_path]):
            if shutil.which(reader[0]):
                run(reader[0] + ' accepts it', reader)
    print(f'archive: {os.path.getsize(zip_path)} bytes of {os.path.getsize(path)}')


def measure_prune(folder, count):
    home = private(os.path.join(folder, f'prune{count}'))
    sessions = private(os.path.join(home, 'sessions'))
    now = time.time()
    for i in range(count):
        when = now - (90 if i % 2 else 1) * DAY_S
        with open(os.open(f'{sessions}/s{i}.jsonl', os.O_WRONLY | os.O_CREAT, 0o600), 'w') as out:
            out.write(line(f's{i}', when, 'hello', 'user_input'))
    run(f'magi-prune, {count} sessions, half expired', [f'{BIN}/magi-prune', '--home', home, '30'])
    left = len([name for name in os.listdir(sessions) if name.endswith('.jsonl')])
    if left != count - count // 2:
        sys.exit(f'{left} sessions are left')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--gb', type=float, default=1.0)
    parser.add_argument('--dir', default='/dev/shm' if os.access('/dev/shm', os.W_OK) else None)
    parser.add_argument('--sessions', type=int, default=20000)
    parser.add_argument('--check', action='store_true', help='read the archive with other programs')
    options = parser.parse_args()
    os.umask(0o077)
    with tempfile.TemporaryDirectory(dir=options.dir) as folder:
        measure_export(folder, int(options.gb * 1e9), options.check)
        for count in (options.sessions // 4, options.sessions // 2, options.sessions):
            measure_prune(folder, count)


if __name__ == '__main__':
    main()
