"""What is measured.  Each scenario runs every command in turn, several times, after one run that is not counted, so that
a machine whose speed drifts is as fair to one as to the other."""
import json
import os
import shlex
import shutil
import subprocess
import time

import sessions
from runner import Failed, Server, median

USAGE = {'input': 1000, 'output': 10}  # small: keeps automatic compaction away
ECHO = 'echo call {{i}}; head -c 500 big.txt'
CAT = 'cat big.txt; echo call {{i}}'


def _shell(command):
    """One shell call under the names that different agents give to it."""
    return {'any': {'bash': {'command': command}, 'exec_command': {'cmd': command}, 'shell': {'command': command},
                    'Bash': {'command': command, 'description': 'Shows text'},
                    'run_shell_command': {'command': command, 'description': 'Shows text', 'is_background': False}}}


def _read(repo):
    path = f'{repo}/src/f{{{{i}}}}.c'
    return {'any': {'read': {'path': path}, 'Read': {'file_path': path}, 'read_file': {'file_path': path}}}


def _script(*turns):
    return {'index': 'since_user', 'usage': USAGE, 'turns': list(turns)}


class Bench:
    def __init__(self, args, measure, table, agents, folder, repo):
        self.args, self.measure, self.table, self.agents = args, measure, table, agents
        self.folder, self.repo = folder, repo

    def _server(self, name, script):
        return Server(self.args.server, self.folder, name, script)

    def _rounds(self, label, once):
        """once(agent) -> figures or None (not counted), round robin; an agent that fails is left out with a note."""
        found, failed = {}, set()
        for number in range(self.args.runs + 1):
            for agent in self.agents:
                if agent.name in failed:
                    continue
                try:
                    figures = once(agent)
                except Failed as error:
                    failed.add(agent.name)
                    self.table.note(f'{agent.name}, {label}: {error}')
                    continue
                if number > 0:
                    found.setdefault(agent.name, []).append(figures)
        return {name: rows for name, rows in found.items() if name not in failed}

    def _ask(self, server, agent, prompt, resume=False, sample=False, requests=1):
        taken = self.measure.run(agent.command(server.url, prompt, resume), self.repo, sample, agent.environment())
        asked = server.new()
        if taken['exit'] != 0:
            raise Failed(f'exit {taken["exit"]}: {self.measure.tail()}')
        if len(asked) < requests:
            raise Failed(f'{len(asked)} requests instead of {requests}')
        if taken['left']:
            self.table.note(f'{agent.name} left {taken["left"]} processes behind')
        return taken, asked

    # ---- start ----

    def start(self, programs):
        runs = self.args.runs * 5

        def figures(command):
            self.measure.run(command)
            rows = [self.measure.run(command) for _ in range(runs)]
            bad = next((r for r in rows if r['exit'] != 0), None)
            if bad:
                raise Failed(f'exit {bad["exit"]}')
            return median(r['wall_ms'] for r in rows), median(r['rss'] for r in rows) / 1e6

        floor = figures(['/bin/true'])
        self.table.add('start: /bin/true, ms', self.agents[0].name, floor[0])
        if floor[0] > 1:
            self.table.note(f'/bin/true takes {floor[0]:.1f} ms, 0.5 on an idle machine: something else is running')
        for program in programs:
            name = os.path.basename(program)
            provider = name == 'magi-provider'
            try:
                wall, rss = figures([program, '--version'])
            except Failed as error:
                self.table.note(f'{name} --version: {error}')
                continue
            self.table.add(f'start: {name} --version, ms', self.agents[0].name, wall, 6 if provider else 2)
            self.table.add(f'start: {name} --version, MB', self.agents[0].name, rss, 12 if provider else 8)
        for agent in self.agents[1:]:
            if agent.version_command:
                wall, rss = figures(shlex.split(agent.version_command.replace('{home}', agent.home)))
                self.table.add('start: magi-code --version, ms', agent.name, wall, 2)
                self.table.add('start: magi-code --version, MB', agent.name, rss, 8)

    # ---- one turn ----

    def one_turn(self):
        with self._server('hello', _script({'text': 'Hello! How can I help you with this repository today?'})) as server:
            asked_body = {}

            def once(agent):
                taken, asked = self._ask(server, agent, 'say hello')
                asked_body[agent.name] = asked[0].get('body')
                return (taken['wall_ms'], taken['cpu_ms'], (asked[0]['t_req'] - taken['t0']) / 1e6,
                        (taken['t1'] - asked[-1]['answer']['t_last']) / 1e6, len(asked), asked[0]['bytes'])
            for name, rows in self._rounds('one turn', once).items():
                wall, cpu, request, tail, count, size = (median(column) for column in zip(*rows))
                self.table.add('one turn: wall, ms', name, wall, 30)
                self.table.add('one turn: exec to request, ms', name, request, 15)
                self.table.add('one turn: last byte to exit, ms', name, tail)
                self.table.add('one turn: CPU of the tree, ms', name, cpu)
                self.table.add('one turn: requests', name, count)
                self.table.add('one turn: first request, bytes', name, size)
                self._tokens(name, asked_body.get(name))
            self._one_turn_memory(server)

    def _tokens(self, name, body):
        """Tokens of a request's body as magi-tokens counts plain text."""
        program = os.path.join(self.args.build, 'bin', 'magi-tokens')
        if body is None or not os.path.exists(program):
            return
        done = subprocess.run([program, '--text'], input=json.dumps(body, ensure_ascii=False, separators=(',', ':')).encode(),
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        words = done.stdout.split()
        if done.returncode == 0 and words and words[0].isdigit():
            self.table.add('one turn: first request, tokens', name, int(words[0]), 3000)

    def _one_turn_memory(self, server):
        def once(agent):
            taken, _ = self._ask(server, agent, 'say hello', sample=True)
            return taken['tree_rss'] / 1e6, taken['rss_largest'] / 1e6, taken['processes']
        for name, rows in self._rounds('memory', once).items():
            tree, largest, processes = zip(*rows)
            self.table.add('one turn: peak RSS of the tree, MB', name, max(tree), 32)
            self.table.add('one turn: largest process, MB', name, median(largest))
            self.table.add('one turn: processes at once', name, max(processes))

    # ---- tool turns ----

    def _gaps(self, label, call, turns, resume=False):
        """Median ms from an answer's last byte to the next request, and CPU ms a turn."""
        with self._server(label, _script({'repeat': turns, 'calls': [call]}, {'text': 'All calls are done.'})) as server:
            def once(agent):
                taken, asked = self._ask(server, agent, 'run the calls', resume, requests=turns + 1)
                if 'no_such_tool' in json.dumps(asked[-1].get('body')):
                    raise Failed('offers no such tool')
                gaps = [(b['t_req'] - a['answer']['t_last']) / 1e6 for a, b in zip(asked[:turns], asked[1:turns + 1])]
                return median(gaps), taken['cpu_ms'] / turns, asked[-1]['bytes']
            return {name: [median(column) for column in zip(*rows)] for name, rows in self._rounds(label, once).items()}

    def tool_turns(self):
        command = ['/bin/sh', '-c', ECHO.replace('{{i}}', '1')]
        alone = median(self.measure.run(command, self.repo)['wall_ms'] for _ in range(self.args.runs * 3))
        for name, (gap, cpu, _) in self._gaps('read turn', _read(self.repo), 20).items():
            self.table.add('20 read turns: gap, ms', name, gap, 3.5)
            self.table.add('20 read turns: CPU a turn, ms', name, cpu)
        for name, (gap, cpu, _) in self._gaps('shell turn', _shell(ECHO), 20).items():
            self.table.add('20 shell turns: gap, ms', name, gap)
            self.table.add('20 shell turns: gap beyond the command, ms', name, gap - alone, 3.5)
            self.table.add('20 shell turns: CPU a turn, ms', name, cpu)
        self.table.add('the shell command alone, ms', self.agents[0].name, alone)

    # ---- a long history ----

    def long_history(self):
        script = _script({'repeat': 200, 'calls': [_shell(CAT)]}, {'text': 'All calls are done.'})
        with self._server('long', script) as server:
            for agent in list(self.agents):
                agent.home = os.path.join(self.folder, f'long-{agent.name}')
                os.makedirs(agent.home, mode=0o700, exist_ok=True)
                try:
                    taken, asked = self._ask(server, agent, 'run the two hundred calls', requests=201)
                    self.table.add('200 results of 20 KB: building it, s', agent.name, taken['wall_ms'] / 1e3)
                    self.table.add('200 results of 20 KB: last request, MB', agent.name, asked[-1]['bytes'] / 1e6)
                except Failed as error:
                    self.table.note(f'{agent.name}, 200 calls: {error}')
        self._resume()
        for name, (gap, _, size) in self._gaps('read turn with history', _read(self.repo), 10, resume=True).items():
            self.table.add('read turn with 4 MB of history: gap, ms', name, gap, 12)
            if size < 3e6:
                self.table.note(f'{name}: the history is cut, its request has {size / 1e6:.1f} MB')

    def _resume(self):
        with self._server('resume', _script({'text': 'Hello again.'})) as server:
            def once(agent):
                taken, asked = self._ask(server, agent, 'and now?', resume=True)
                return (asked[0]['t_req'] - taken['t0']) / 1e6, taken['wall_ms'], taken['rss_largest'] / 1e6
            for name, rows in self._rounds('resume', once).items():
                request, wall, rss = (median(column) for column in zip(*rows))
                self.table.add('200 results of 20 KB: resumed to request, ms', name, request, 45)
                self.table.add('200 results of 20 KB: resume and one turn, ms', name, wall)
                self.table.add('200 results of 20 KB: largest process, MB', name, rss)

    # ---- replay, disk ----

    def replay(self, program):
        path = os.path.join(self.folder, 'replay.jsonl')
        size = sessions.write(path, self.args.replay_mb * 1_000_000)
        command = ['/bin/sh', '-c', f'exec {program} {path} >/dev/null']
        self.measure.run(command)
        rows = [self.measure.run(command) for _ in range(max(3, self.args.runs // 2))]
        os.unlink(path)
        name, label = self.agents[0].name, f'replay of {self.args.replay_mb} MB'
        if any(r['exit'] for r in rows):
            return self.table.note(f'{label}: exit {rows[0]["exit"]}: {self.measure.tail()}')
        self.table.add(f'{label}: GB/s', name, size / 1e9 / (median(r['wall_ms'] for r in rows) / 1e3), 0.6, at_least=True)
        self.table.add(f'{label}: MB of memory', name, median(r['rss'] for r in rows) / 1e6, 64)

    def disk(self):
        """What one durable append costs where the homes are."""
        path, taken = os.path.join(self.folder, 'sync'), []
        fd = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
        for _ in range(50):
            os.write(fd, b'x' * 600)
            start = time.monotonic_ns()
            os.fdatasync(fd)
            taken.append((time.monotonic_ns() - start) / 1e6)
        os.close(fd)
        self.table.add('fdatasync of an append, ms', self.agents[0].name, median(taken))

    def syncs(self):
        """fsync and fdatasync calls a tool turn, by strace: a run of 20 turns less a run of none."""
        if not shutil.which('strace'):
            return self.table.note('syncs a tool turn: strace is not installed')
        counts = {}
        for turns in (0, 20):
            script = _script(*([{'repeat': turns, 'calls': [_read(self.repo)]}] if turns else []), {'text': 'Done.'})
            with self._server(f'syncs{turns}', script) as server:
                for agent in self.agents:
                    counts[agent.name, turns] = self._count_syncs(agent, server)
        for agent in self.agents:
            many, none = counts[agent.name, 20], counts[agent.name, 0]
            if many is not None and none is not None:
                self.table.add('syncs a tool turn', agent.name, (many - none) / 20, 2)
                self.table.add('syncs of a run without tools', agent.name, none)
        return None

    def _count_syncs(self, agent, server):
        trace = os.path.join(self.folder, 'trace')
        done = subprocess.run(['strace', '-f', '-o', trace, '-e', 'trace=fsync,fdatasync',
                               *agent.command(server.url, 'run the calls')], cwd=self.repo, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300, check=False,
                              env=agent.environment())
        if done.returncode != 0:
            return None
        with open(trace) as f:
            return sum('sync(' in line for line in f)
