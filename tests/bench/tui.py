#!/usr/bin/env python3
"""Measures the interface on a pseudo terminal and prints figures; nothing here passes or fails.

    tests/bench/tui.py [--build DIR] [--seconds N] [--lines N] [--megabytes N]

first frame      from exec to the first byte of the prompt
echo             from a key's write to the read that shows it, while 2,000 tokens a second stream into a transcript of
                 --lines lines: median and p99 of one key every 40 ms
cpu              user and system time of magi-code alone during that stream, of one core
bytes            written to the terminal during that stream, for each byte of text that streamed
memory           largest resident size of magi-code with a session of --megabytes MB open
The terminal has 50 rows of 120 columns, and reads at once.
"""
import argparse, fcntl, json, os, pty, select, signal, statistics, struct, subprocess, sys, tempfile, termios, time

ROWS, COLUMNS = 50, 120
SESSION = "20260101-000000-0000000001"


def session(path, lines, megabytes):
    """A stored session: questions, and answers of text, until there are enough lines or bytes."""
    words = "the quick brown fox jumps over the lazy dog and writes a line of plain text, number %d of many in this answer"
    number = written = 0
    with open(path, "w") as out:
        def event(kind, payload):
            nonlocal number, written
            number += 1
            line = json.dumps({"event_type": kind, "event_id": "%x" % number, "timestamp": "2026-01-01T00:00:00.000Z",
                               "session_id": SESSION, "cwd": "/", "payload": payload}, separators=(",", ":")) + "\n"
            written += len(line)
            out.write(line)
        shown = 0
        turn = 0
        while shown < lines or written < megabytes * 1_000_000:
            turn += 1
            event("user_input", {"turn_id": "t%d" % turn, "text": "question %d" % turn, "origin": "user"})
            text = "\n\n".join(words % n for n in range(200))
            event("assistant_output", {"turn_id": "t%d" % turn, "text": text, "status": "completed"})
            event("turn_status", {"turn_id": "t%d" % turn, "status": "completed"})
            shown += 400
    os.chmod(path, 0o600)
    return written


class Program:
    def __init__(self, build, home, arguments):
        environment = dict(os.environ, MC_HOME=home, TERM="xterm-256color", OPENAI_API_KEY="", HOME=home)
        self.started = time.monotonic()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
            os.chdir(home)
            os.execve(build + "/bin/magi-code", ["magi-code", *arguments], environment)
        self.bytes = 0

    def read(self, wait):
        if not select.select([self.fd], [], [], max(0, wait))[0]:
            return b""
        try:
            data = os.read(self.fd, 1 << 16)
        except OSError:
            return b""
        self.bytes += len(data)
        return data

    def until(self, wanted, seconds):
        seen, end = b"", time.monotonic() + seconds
        while wanted not in seen:
            if time.monotonic() > end:
                sys.exit("never seen: %r in %r" % (wanted, seen[-2000:]))
            seen += self.read(end - time.monotonic())
        return time.monotonic()

    def write(self, data):
        os.write(self.fd, data)

    def cpu(self):
        fields = open("/proc/%d/stat" % self.pid).read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self, what):
        for line in open("/proc/%d/status" % self.pid):
            if line.startswith(what):
                return int(line.split()[1]) / 1024
        return 0

    def end(self):
        os.kill(self.pid, signal.SIGTERM)
        while self.read(2):
            pass
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def home_with(folder, lines, megabytes):
    home = tempfile.mkdtemp(dir=folder)
    os.makedirs(home + "/sessions", mode=0o700)
    size = session(home + "/sessions/" + SESSION + ".jsonl", lines, megabytes)
    return home, size


def server(build, folder, seconds):
    text = "".join("line %05d of the answer that streams now, with some words\n\n" % n for n in range(seconds * 140))
    script = folder + "/script.json"
    json.dump({"index": "request", "turns": [{"text": text, "chunk": 8, "delay": 1}], "after": {"text": "ok"}}, open(script, "w"))
    port = folder + "/port"
    process = subprocess.Popen([build + "/tests/magi-fake-provider", "--script", script, "--log", folder + "/log",
                                "--port-file", port, "--exit-with", str(os.getpid()), "--max-life", "300"],
                               stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    while not os.path.exists(port) or not os.path.getsize(port):
        time.sleep(0.01)
    return process, "http://127.0.0.1:%s/v1" % open(port).read().strip()


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))]


def keep_typing(program, seconds):
    """Types rare letters one by one and times each until it is shown."""
    letters = [chr(c) for c in range(ord("А"), ord("я"))]
    echoes, n, end = [], 0, time.monotonic() + seconds
    while time.monotonic() < end:
        letter = letters[n % len(letters)].encode()
        n += 1
        sent = time.monotonic()
        program.write(letter)
        echoes.append((program.until(letter, 5) - sent) * 1000)
        pause = time.monotonic() + 0.04
        while time.monotonic() < pause:
            program.read(pause - time.monotonic())
        if n % 20 == 0:
            program.write(b"\x15")
    return echoes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(os.path.dirname(__file__), "../../build"))
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--megabytes", type=int, default=50)
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    with tempfile.TemporaryDirectory() as folder:
        provider, url = server(build, folder, options.seconds)
        common = ["--base-url", url, "--provider", "openai-compatible", "-m", "mock-model",
                  "--set", "agent.context.max_tokens=900000000", "--set", "agent.compaction.auto.enabled=false"]

        frames = []
        for _ in range(10):
            program = Program(build, tempfile.mkdtemp(dir=folder), common)
            frames.append((program.until("❯".encode(), 10) - program.started) * 1000)
            program.end()
        print("first frame: median %.1f ms, worst %.1f ms of %d" % (statistics.median(frames), max(frames), len(frames)))

        home, size = home_with(folder, 0, options.megabytes)
        program = Program(build, home, common + ["--resume", SESSION])
        opened = program.until(b"number 199", 60) - program.started
        program.until(b"Current Ctx", 60)
        print("memory: %.1f MB resident, at most %.1f MB, with a session of %.1f MB that was shown after %.2f s" %
              (program.memory("VmRSS"), program.memory("VmHWM"), size / 1e6, opened))
        program.end()

        home, size = home_with(folder, options.lines, 0)
        program = Program(build, home, common + ["--resume", SESSION])
        program.until(b"number 199", 60)
        program.until(b"Current Ctx", 60)
        idle = keep_typing(program, 3)
        program.write(b"\x15go\r")
        program.until(b"line 00", 20)
        cpu, written, begun = program.cpu(), program.bytes, time.monotonic()
        echoes = keep_typing(program, options.seconds - 2)
        took = time.monotonic() - begun
        text = took * 8 * 1000  # 8 characters each ms, as far as the server keeps up; measured below
        cpu, written = program.cpu() - cpu, program.bytes - written
        print("echo while idle: median %.2f ms, p99 %.2f ms of %d keys" %
              (statistics.median(idle), percentile(idle, 0.99), len(idle)))
        print("echo while streaming into %d lines: median %.2f ms, p99 %.2f ms of %d keys" %
              (options.lines, statistics.median(echoes), percentile(echoes, 0.99), len(echoes)))
        print("cpu while streaming: %.1f %% of a core" % (100 * cpu / took))
        print("bytes while streaming: %d in %.1f s, %.2f for each byte of text at the full rate (keys included)" %
              (written, took, written / text))
        program.end()
        provider.terminate()


main()
