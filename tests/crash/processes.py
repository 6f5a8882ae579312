"""The processes below this one, orphans included."""
import ctypes
import os
import signal
import time

PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans():
    """From now on, descendants whose parent dies become children of this process, so that none is lost from sight."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), 'prctl')


def children(pid):
    found = []
    try:
        for task in os.listdir(f'/proc/{pid}/task'):
            with open(f'/proc/{pid}/task/{task}/children') as f:
                found += [int(word) for word in f.read().split()]
    except OSError:
        pass
    return found


def descendants(pid):
    found, todo = [], [pid]
    while todo:
        below = children(todo.pop())
        found += below
        todo += below
    return found


def name(pid):
    try:
        with open(f'/proc/{pid}/comm') as f:
            return f.read().strip()
    except OSError:
        return 'gone'


def is_alive(pid):
    try:
        with open(f'/proc/{pid}/stat') as f:
            return f.read().rsplit(')', 1)[1].split()[0] != 'Z'
    except OSError:
        return False


def describe(pid):
    try:
        with open(f'/proc/{pid}/cmdline', 'rb') as f:
            return f'{pid} {f.read().replace(bytes(1), b" ").decode(errors="replace").strip()[:120]}'
    except OSError:
        return f'{pid} {name(pid)}'


def reap():
    """Orphans that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0] > 0:
            pass
    except ChildProcessError:
        pass


def left_after(seconds, but):
    """Waits until no descendant but `but` is alive; those that still are after so many seconds."""
    deadline = time.monotonic() + seconds
    while True:
        alive = [pid for pid in descendants(os.getpid()) if pid not in but and is_alive(pid)]
        if not alive or time.monotonic() > deadline:
            return alive
        time.sleep(0.02)


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
        return True
    except ProcessLookupError:
        return False
