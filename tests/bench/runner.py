"""Running commands under magi-measure, and the model server that they talk to."""
import json
import os
import shlex
import statistics
import subprocess
import time

median = statistics.median


class Failed(Exception):
    """A figure cannot be taken; the text says why."""


class Measure:
    """Runs commands one at a time; each answer is magi-measure's JSON object, with wall and CPU in ms beside it."""

    def __init__(self, program, output):
        self.program, self.output = program, output

    def run(self, command, cwd='/', sample=False, env=None):
        if os.path.exists(self.output):
            os.unlink(self.output)
        line = [self.program, '--output', self.output, '--cwd', cwd] + (['--sample'] if sample else []) + list(command)
        done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, timeout=600, check=False)
        if done.returncode != 0:
            raise Failed(done.stderr.strip())
        taken = json.loads(done.stdout)
        taken['wall_ms'] = (taken['t1'] - taken['t0']) / 1e6
        taken['cpu_ms'] = taken['cpu_us'] / 1e3
        return taken

    def tail(self):
        if not os.path.exists(self.output):
            return ''
        with open(self.output, 'rb') as f:
            return f.read()[-400:].decode(errors='replace').strip().replace('\n', ' | ')


class Server:
    """A scripted model server; `command` holds {script}, {log} and {port_file}."""

    def __init__(self, command, folder, name, script):
        base = os.path.join(folder, name)
        self.log, port_file, script_file = base + '.log', base + '.port', base + '.script'
        for path in (self.log, port_file):
            if os.path.exists(path):
                os.unlink(path)
        with open(script_file, 'w') as f:
            json.dump(script, f)
        words = [word.format(script=script_file, log=self.log, port_file=port_file) for word in shlex.split(command)]
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 10
        while not (os.path.exists(port_file) and os.path.getsize(port_file)):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise Failed(f'the server did not start: {command}')
            time.sleep(0.01)
        with open(port_file) as f:
            self.url = f'http://127.0.0.1:{f.read().strip()}/v1'
        self.seen = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def _records(self):
        if not os.path.exists(self.log):
            return b'', []
        with open(self.log, 'rb') as f:
            f.seek(self.seen)
            data = f.read()
        whole = data[:data.rfind(b'\n') + 1]
        return whole, [json.loads(line) for line in whole.splitlines()]

    def new(self):
        """What came since the last call: requests that offer tools, in order, each with its answer as ['answer']."""
        deadline = time.monotonic() + 2
        while True:
            whole, records = self._records()
            answers = {r['id']: r for r in records if r['ev'] == 'response'}
            requests = [r for r in records if r['ev'] == 'request' and r.get('tools')]
            if all(r['id'] in answers for r in requests) or time.monotonic() > deadline:
                break
            time.sleep(0.005)
        self.seen += len(whole)
        for r in requests:
            r['answer'] = answers.get(r['id'])
        return requests


class Agent:
    """A command line to be measured.  {url} (ends in /v1), {base} (does not), {home} and {prompt} are filled in; without
    {prompt} it is put last."""

    def __init__(self, name, prompt_command, resume_command=None, version_command=None, env=None):
        self.name, self.prompt_command, self.resume_command = name, prompt_command, resume_command
        self.version_command, self.env = version_command, env
        self.home = None

    def environment(self):
        """None: this process's own."""
        return None if self.env is None else {k: v.replace('{home}', self.home) for k, v in self.env.items()}

    def command(self, url, prompt, resume=False):
        text = self.resume_command if resume else self.prompt_command
        if text is None:
            raise Failed('no resume command')
        if '{prompt}' not in text:
            text += ' {prompt}'
        values = {'{url}': url, '{base}': url.removesuffix('/v1'), '{home}': self.home, '{prompt}': prompt}
        words = shlex.split(text)
        for name, value in values.items():
            words = [word.replace(name, value) for word in words]
        return words
