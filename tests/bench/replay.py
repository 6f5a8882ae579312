#!/usr/bin/env python3
"""magi-replay beside simdjson merely walking the same file, and beside jq: ratios within one run, round by round.

usage: tests/bench/replay.py [--build build] [--mb 500] [--runs 5] [--folder /dev/shm] [--no-jq]

Wall and CPU seconds are medians over whole processes, with the file in memory; what comes out goes to /dev/null."""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

import sessions  # noqa: E402
from runner import Failed, Measure, Server, median  # noqa: E402

CHECKPOINT = {'summary': 'what was done', 'generation': 1, 'trigger': 'manual', 'execution_effects': {'mutations': 1},
              'archive': {'path': '.history/bench/0.jsonl', 'bytes': 1, 'sha256': '0' * 64}}


def with_checkpoint(path, size):
    """A session of that size, a checkpoint, and 1 MiB behind it."""
    number = 10_000_000
    sessions.write(path, size)
    with open(path, 'ab') as f:
        f.write((sessions._event('compaction', number, CHECKPOINT) + '\n').encode())
        behind = 0
        while behind < 1 << 20:
            number += 1
            behind += f.write(('\n'.join(sessions._turn(number)) + '\n').encode())


def one_output(path, size):
    with open(path, 'w', encoding='utf-8') as f:
        f.write(sessions._event('user_input', 1, {'turn_id': 't', 'text': 'go'}) + '\n')
        f.write(sessions._event('tool_call', 2, {'turn_id': 't', 'call_id': 'c', 'name': 'bash', 'arguments': '{}'}) + '\n')
        f.write(sessions._event('tool_result', 3, {'turn_id': 't', 'call_id': 'c', 'result_id': 'r', 'status': 'success',
                                                   'output': sessions._words(size, 1)}) + '\n')
        f.write(sessions._event('turn_status', 4, {'turn_id': 't', 'status': 'completed'}) + '\n')


def two_hundred_results(home):
    os.makedirs(home + '/sessions', mode=0o700)
    os.chmod(home, 0o700)
    path = home + '/sessions/bench.jsonl'
    with open(path, 'w', encoding='utf-8') as f:
        f.write(sessions._event('user_input', 1, {'turn_id': 't', 'text': 'run the calls', 'origin': 'user'}) + '\n')
        for i in range(200):
            f.write(sessions._event('tool_call', 2 * i + 2, {'turn_id': 't', 'call_id': f'c{i}', 'name': 'bash',
                                                             'arguments': '{"command":"cat big.txt"}'}) + '\n')
            f.write(sessions._event('tool_result', 2 * i + 3, {'turn_id': 't', 'call_id': f'c{i}', 'result_id': f'r{i}',
                                                               'status': 'success', 'output': sessions._words(20000, i)}) + '\n')
        f.write(sessions._event('turn_status', 999, {'turn_id': 't', 'status': 'completed'}) + '\n')
    os.chmod(path, 0o600)


class Bench:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.measure = Measure(os.path.join(args.build, 'tests', 'magi-measure'), os.path.join(folder, 'out'))
        self.replay = os.path.join(args.build, 'bin', 'magi-replay')

    def compare(self, commands, runs=None):
        """{name: (wall s, CPU s, MB)}, each command once a round."""
        rows = {name: [] for name in commands}
        for number in range((runs or self.args.runs) + 1):
            for name, command in commands.items():
                taken = self.measure.run(['/bin/sh', '-c', f'exec {command} >/dev/null'])
                if taken['exit'] != 0:
                    raise Failed(f'{name}: {self.measure.tail()}')
                if number > 0:
                    rows[name].append((taken['wall_ms'] / 1e3, taken['cpu_ms'] / 1e3, taken['rss'] / 1e6))
        return {name: tuple(median(column) for column in zip(*taken)) for name, taken in rows.items()}

    def say(self, label, figures, size):
        wall, cpu, rss = figures
        print(f'  {label:34} {wall:8.3f} s  {cpu:8.3f} s CPU  {size / 1e9 / wall:6.2f} GB/s  {rss:6.0f} MB')

    def table(self, title, path, jq):
        size = os.path.getsize(path)
        print(f'{title}, {size / 1e6:.0f} MB')
        commands = {'simdjson walks it': f'{self.args.build}/tests/magi-walk-json {path}',
                    'magi-replay': f'{self.replay} {path}', 'magi-replay --no-digest': f'{self.replay} --no-digest {path}'}
        taken = self.compare(commands)
        if jq:
            taken.update(self.compare({'jq -c .': f'jq -c . {path}'}, 1))
        for name, figures in taken.items():
            self.say(name, figures, size)
        ours, walk = taken['magi-replay'], taken['simdjson walks it']
        print(f'  magi-replay / walk: {ours[0] / walk[0]:.2f} of its time; without the digest '
              f'{taken["magi-replay --no-digest"][0] / walk[0]:.2f}')
        if jq:
            print(f'  jq / magi-replay: {taken["jq -c ."][0] / ours[0]:.1f} times as long')
        print(flush=True)

    def digest_alone(self, path):
        stream = os.path.join(self.folder, 'stream')
        with open(stream, 'wb') as f:
            subprocess.run([self.replay, path], stdout=f, stderr=subprocess.DEVNULL, check=True)
        size = os.path.getsize(stream)
        figures = self.compare({'digest': f'sha256sum {stream}'})['digest']
        print('The digest of what it writes, alone')
        self.say('sha256sum', figures, size)
        os.unlink(stream)
        print(flush=True)

    def resume(self):
        pristine, home = os.path.join(self.folder, 'pristine'), os.path.join(self.folder, 'home')
        two_hundred_results(pristine)
        repo = os.path.join(self.folder, 'repo')
        os.makedirs(repo)
        fake = f'{self.args.build}/tests/magi-fake-provider --script {{script}} --log {{log}} --port-file {{port_file}}'
        rows = []
        with Server(fake, self.folder, 'resume', {'index': 'since_user', 'turns': [{'text': 'Hello again.'}]}) as server:
            for number in range(self.args.runs * 2 + 1):
                shutil.rmtree(home, ignore_errors=True)
                shutil.copytree(pristine, home)
                taken = self.measure.run([f'{self.args.build}/bin/magi-code', '--home', home, '--base-url', server.url,
                                          '--model', 'm', '--set', 'agent.context.max_tokens=2000000', '--resume', 'bench',
                                          '-p', 'and now?'], repo)
                request = server.new()[0]
                if number > 0:
                    rows.append(((request['t_req'] - taken['t0']) / 1e6, taken['cpu_ms']))
        alone = self.compare({'replay': f'{self.replay} --no-digest --home {pristine} bench'})['replay']
        print('200 results of 20 KB')
        request, cpu = (median(column) for column in zip(*rows))
        print(f'  magi-code --resume, exec to request {request:6.1f} ms, CPU of all its processes {cpu:6.1f} ms')
        print(f'  magi-replay of it alone             {alone[0] * 1e3:6.1f} ms', flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--build', default=os.path.join(HERE, '..', '..', 'build'))
    p.add_argument('--mb', type=int, default=500)
    p.add_argument('--runs', type=int, default=5)
    p.add_argument('--folder', default='/dev/shm' if os.path.isdir('/dev/shm') else None)
    p.add_argument('--no-jq', action='store_true')
    args = p.parse_args()
    args.build = os.path.abspath(args.build)
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        bench = Bench(args, folder)
        path = os.path.join(folder, 's.jsonl')
        with_checkpoint(path, 1 << 30)
        bench.table('1 GiB, 1 MiB behind the last checkpoint', path, False)
        one_output(path, 12_000_000)
        bench.table('One output of 12 MB', path, not args.no_jq)
        sessions.write(path, args.mb * 1_000_000)
        bench.table('No checkpoint', path, not args.no_jq)
        bench.digest_alone(path)
        os.unlink(path)
        bench.resume()


if __name__ == '__main__':
    try:
        main()
    except Failed as error:
        sys.exit(f'replay.py: {error}')
