"""One run of magi-code against the scripted server, killed at one moment, and what must hold afterwards."""
import collections
import json
import os
import random
import re
import shutil
import stat
import subprocess
import tempfile
import threading
import time

import conversation
import processes
import scenario

RUN_LIMIT_S = 60


class Broken(Exception):
    """What must hold does not."""


def need(condition, what):
    if not condition:
        raise Broken(what)


class Trial:
    def __init__(self, build, base, seed, plan):
        self.bin, self.tests, self.plan = os.path.join(build, 'bin'), os.path.join(build, 'tests'), plan
        self.random = random.Random(seed)
        self.wire = self.random.choice(sorted(scenario.WIRES)) if plan['wire'] is None else plan['wire']
        self.folder = tempfile.mkdtemp(prefix=f'crash-{seed}.', dir=base)
        self.home, self.repo = os.path.join(self.folder, 'home'), os.path.join(self.folder, 'repo')
        os.makedirs(self.repo)
        with open(os.path.join(self.repo, 'notes.txt'), 'w') as f:
            f.write('a note that is read\n')
        self.records, self.victim, self.log_file = [], 'none', os.path.join(self.folder, 'log.jsonl')

    # ---- processes ----

    def start_server(self):
        script, port = os.path.join(self.folder, 'script.json'), os.path.join(self.folder, 'port')
        with open(script, 'w') as f:
            json.dump(scenario.script(self.plan['trouble']), f)
        self.server = subprocess.Popen(
            [os.path.join(self.tests, 'magi-fake-provider'), '--script', script, '--log', self.log_file, '--port-file', port,
             '--exit-with', str(os.getpid()), '--max-life', '200'], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 10
        while not os.path.exists(port):
            need(time.monotonic() < deadline, 'the scripted server did not start')
            time.sleep(0.005)
        with open(port) as f:
            base = f'http://127.0.0.1:{f.read().strip()}'
        self.url = base if self.wire == 'messages' else base + '/v1'

    def command(self, *more):
        return [os.path.join(self.bin, 'magi-code'), '--home', self.home, '--provider', scenario.WIRES[self.wire],
                '--base-url', self.url, '-m', 'mock-model', '--permissions', 'full', '--json', *more]

    def environment(self):
        tools = {k: os.environ[k] for k in ('MAGI_TOOL_PATH',) if k in os.environ}
        return {'PATH': '/usr/local/bin:/usr/bin:/bin', 'HOME': self.folder, 'LANG': 'C.UTF-8',
                'OPENAI_API_KEY': 'test-key', 'ANTHROPIC_API_KEY': 'test-key', **tools}

    def start(self, *more):
        errors = open(os.path.join(self.folder, 'stderr'), 'ab')
        process = subprocess.Popen(self.command(*more), cwd=self.repo, env=self.environment(), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=errors)
        errors.close()
        return process

    def follow(self, process):
        """Collects the run's records as they come."""
        def read():
            for line in process.stdout:
                if line.endswith(b'\n'):
                    self.records.append((time.monotonic(), json.loads(line)))
        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        return thread

    # ---- the kill ----

    def wait_for_moment(self, process, started):
        """Half the moments are uniform in time, half stand just behind a record of the run."""
        if self.random.random() < 0.5:
            until = started + self.random.uniform(0, self.plan['duration'])
            while time.monotonic() < until and process.poll() is None:
                time.sleep(0.001)
            return
        count, pause = self.random.randrange(self.plan['records'] + 1), self.random.expovariate(1 / 0.006)
        deadline = time.monotonic() + RUN_LIMIT_S
        while len(self.records) < count and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.001)
        time.sleep(pause)

    def strike(self, process):
        """Kills magi-code or any process below it; never the server."""
        below = processes.descendants(process.pid)
        pid = process.pid if not below or self.random.random() < 0.4 else self.random.choice(below)
        name = processes.name(pid)
        self.victim = name if processes.kill(pid) else 'gone'
        return pid == process.pid

    def run(self):
        processes.adopt_orphans()
        self.start_server()
        started = time.monotonic()
        process = self.start('-p', scenario.PROMPT)
        reader = self.follow(process)
        if self.plan['kill']:
            self.wait_for_moment(process, started)
            self.strike(process)
        try:
            self.exit = process.wait(RUN_LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Broken(f'the run did not end after {self.victim} was killed') from None
        ended = time.monotonic()
        reader.join(5)
        left = processes.left_after(2.0 - (time.monotonic() - ended), {self.server.pid})
        need(not left, 'processes left behind: ' + '; '.join(processes.describe(p) for p in left))
        processes.reap()
        self.duration = ended - started

    # ---- what must hold ----

    def requests(self):
        if not os.path.exists(self.log_file):
            return []
        with open(self.log_file) as f:
            records = [json.loads(line) for line in f]
        return [r for r in records if r['ev'] == 'request' and r['method'] == 'POST' and r['tools']]

    def sessions(self):
        folder = os.path.join(self.home, 'sessions')
        if not os.path.isdir(folder):
            return []
        return sorted(n[:-6] for n in os.listdir(folder) if n.endswith('.jsonl'))

    def replay(self, session):
        done = subprocess.run([os.path.join(self.bin, 'magi-replay'), '--home', self.home, session], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment(), check=False)
        need(done.returncode == 0, f'magi-replay exits {done.returncode}: {done.stderr.strip()[:300]}')
        return conversation.of_stream(done.stdout)

    def check_requests(self, requests, stored):
        """No request may depend on what is not on disk."""
        for r in requests:
            need(not r['problems'], f'request {r["id"]}: a provider would refuse: {r["problems"]}')
            sent = conversation.of_request(self.wire, r['body'])
            gap = conversation.difference(sent, stored)
            need(gap is None, f'request {r["id"]} depends on what the session does not hold: {gap}')

    @staticmethod
    def check_once(stored, complete):
        """Each word that the model said is stored once, each call has one result behind it, and none ran twice."""
        said = ' '.join(item[1] for item in stored if item[0] == 'assistant')
        counts = collections.Counter(re.findall(scenario.WORD, said))
        twice = [word for word, n in counts.items() if n > 1]
        need(not twice, f'stored twice: {twice[:5]}')
        calls = [i[1] for i in stored if i[0] == 'call']
        results = [i[1] for i in stored if i[0] == 'result']
        need(sorted(calls) == sorted(results), f'calls {calls} but results {results}')
        need(len(set(calls)) == len(calls), f'a call ID occurs twice: {calls}')
        if complete:
            for name, count in (('looking', 12), ('failing', 6), ('ending', 8)):
                missing = [f'{name}-{i:02d}' for i in range(count) if f'{name}-{i:02d}' not in counts]
                need(not missing, f'not stored: {missing[:5]}')

    def check_commands(self):
        path = os.path.join(self.repo, 'ran.log')
        if not os.path.exists(path):
            return
        with open(path) as f:
            lines = f.read().split()
        need(len(set(lines)) == len(lines), f'a command ran twice: {lines}')

    def check_files(self):
        for folder, _, names in os.walk(self.home):
            need(stat.S_IMODE(os.stat(folder).st_mode) & 0o077 == 0, f'{folder} is open to others')
            for name in names:
                path = os.path.join(folder, name)
                need(stat.S_IMODE(os.stat(path).st_mode) & 0o077 == 0, f'{path} is open to others')

    def results(self):
        return [r for _, r in self.records if r['type'] == 'result']

    def check_after_kill(self):
        requests, sessions = self.requests(), self.sessions()
        need(len(sessions) <= 1, f'one run made sessions {sessions}')
        if not sessions:
            need(not requests, 'requests were sent, but there is no session')
            return None, []
        stored = self.replay(sessions[0])
        self.check_requests(requests, stored)
        ended = self.results()
        complete = bool(ended) and ended[-1]['status'] == 'completed'
        self.check_once(stored, not self.plan['kill'])
        if complete:
            need('ending-07' in stored[-1][1], 'the run was reported as completed, its end is not stored')
        self.check_files()
        return sessions[0], stored

    def check_continue(self, session, before):
        asked = len(self.requests())
        process = self.start('--continue', '-p', scenario.GO_ON)
        records = [json.loads(line) for line in process.communicate(timeout=RUN_LIMIT_S)[0].splitlines()]
        if session is None or not before:
            need(process.returncode in (0, 1, 2), f'--continue without a session exits {process.returncode}')
            return
        need(process.returncode == 0, f'--continue exits {process.returncode}: {self.stderr_tail()}')
        need(records[-1]['type'] == 'result' and records[-1]['session_id'] == session, f'--continue took another session: {records[-1]}')
        new = self.requests()[asked:]
        need(len(new) >= 1, '--continue sent no request')
        expected = conversation.normal(before + [('user', scenario.GO_ON)])
        sent = conversation.of_request(self.wire, new[0]['body'])
        need(sent == expected, '--continue sends something else than the session holds: '
             f'{conversation.difference(expected, sent) or conversation.difference(sent, expected)}')
        after = self.replay(session)
        self.check_requests(new, after)
        self.check_once(after, False)
        need(after[:len(expected)] == expected and 'continued-04' in after[-1][1], '--continue changed what was stored')

    def stderr_tail(self):
        with open(os.path.join(self.folder, 'stderr'), 'rb') as f:
            return f.read()[-400:].decode(errors='replace').strip()

    def check(self):
        """All that is wrong, not only the first."""
        wrong, found = [], {'session': None, 'stored': []}

        def opens():
            found['session'], found['stored'] = self.check_after_kill()

        def leaves_nothing():
            left = processes.left_after(2.0, {self.server.pid})
            need(not left, 'processes left behind by --continue: ' + '; '.join(processes.describe(p) for p in left))
        for step in (opens, lambda: self.check_continue(found['session'], found['stored']), self.check_commands, leaves_nothing):
            try:
                step()
            except Broken as error:
                wrong.append(str(error))
        need(not wrong, ' | '.join(wrong))
        return {'victim': self.victim, 'wire': self.wire, 'session': found['session'] is not None,
                'requests': len(self.requests()), 'exit': self.exit}

    def close(self, keep):
        for pid in processes.descendants(os.getpid()):
            processes.kill(pid)
        self.server.wait()
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)
