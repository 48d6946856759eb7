"""The folder of a run. When the run ends, in whatever way, everything that it has started and written is removed."""

import contextlib
import pathlib
import shutil
import signal
import sys
import tempfile

import processes
from gatehouse import ROOT
from processes import Failed


@contextlib.contextmanager
def workspace():
    """Lends a new folder below `.local`. A failure ends the program with its text."""

    def interrupted(*_):
        raise KeyboardInterrupt

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupted)
    local = ROOT / ".local"
    local.mkdir(exist_ok=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="bench-", dir=local))
    # PostgreSQL may run as another user, who must be able to enter the folder.
    folder.chmod(0o755)
    try:
        yield folder
    except Failed as failure:
        sys.exit(f"bench: {failure}")
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        processes.stop_all()
        for data in folder.glob("**/postgres/data"):
            processes.run([ROOT / "scripts" / "test-database", "remove", data.parent])
        shutil.rmtree(folder, ignore_errors=True)
