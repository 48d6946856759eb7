"""Processes that end with the run, their cost, and the core that they run on."""

import os
import shutil
import signal
import socket
import subprocess
import time

CORES = sorted(os.sched_getaffinity(0))
# With two cores, the server gets one and the load generator the other, so that a figure is for one core.
SERVER_CORE, LOAD_CORE = (CORES[0], CORES[1]) if len(CORES) > 1 else (None, None)

_children = []


class Failed(Exception):
    """Something could not be measured; the text is the reason."""


def _command(args, core):
    # The kernel ends a child whose parent has ended, even when the parent was killed.
    guard = ["setpriv", "--pdeathsig", "TERM", "--"] if shutil.which("setpriv") else []
    pin = ["taskset", "-c", str(core)] if core is not None else []
    return guard + pin + [str(a) for a in args]


def start(args, core=None, log=subprocess.DEVNULL, env=None, service=False):
    """Starts a server; `stop` or the end of the run ends it. Like a service it has its own session, and so its own scheduling group."""
    child = subprocess.Popen(
        _command(args, core),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=log,
        env={**os.environ, **(env or {})},
        start_new_session=service,
    )
    _children.append(child)
    return child


def run(args, core=None, env=None, input=None, timeout=60):
    """Runs a command to its end and returns its output. Fails with the text that it wrote to stderr."""
    child = subprocess.Popen(
        _command(args, core),
        stdin=subprocess.PIPE if input is not None else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **(env or {})},
    )
    _children.append(child)
    try:
        out, err = child.communicate(input, timeout=timeout)
    except subprocess.TimeoutExpired:
        raise Failed(f"{args[0]} took longer than {timeout} s") from None
    finally:
        stop(child)
    if child.returncode != 0:
        raise Failed(f"{args[0]} failed: {err.decode(errors='replace').strip()[-800:]}")
    return out


def stop(child):
    if child.poll() is None:
        child.terminate()
        try:
            child.wait(12)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
    if child in _children:
        _children.remove(child)


def stop_all():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    for child in list(reversed(_children)):
        stop(child)


def family(pid):
    """The process and all processes that it started, directly or not."""
    pids = [pid]
    for parent in pids:
        try:
            for task in os.listdir(f"/proc/{parent}/task"):
                with open(f"/proc/{parent}/task/{task}/children") as file:
                    pids += [int(p) for p in file.read().split()]
        except FileNotFoundError:
            pass
    return pids


def cpu_seconds(pid):
    """User and system time of the process and its children, by the kernel's CPU clock of each, which also has the time of threads that have
    ended. /proc/PID/stat only has hundredths. The clock's number is made of the process id as clock_getcpuclockid(3) makes it."""
    return sum(time.clock_gettime(~member << 3 | 2) for member in family(pid))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def memory(pid, field="VmRSS"):
    """The bytes of the process and its children: VmRSS, or RssAnon for memory that is not shared."""
    total = 0
    for member in family(pid):
        with open(f"/proc/{member}/status") as file:
            total += next(int(line.split()[1]) * 1024 for line in file if line.startswith(field + ":"))
    return total


def wait_until(condition, what, seconds=20, pause=0.01):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise Failed(f"{what}: not within {seconds} s")
        time.sleep(pause)
