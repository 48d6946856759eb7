"""What the command line prints for people and for machines: tables, completion, progress."""

import fcntl
import json
import os
import pty
import shlex
import struct
import subprocess
import termios

import pytest

from support.harness import BINARY
from support.names import METHODS, TIMEOUT
from support.servers.site import a_site


@pytest.fixture(scope="module")
def site():
    with a_site(project={"signIn": METHODS}) as site:
        site.rows(
            "INSERT INTO accounts (project_id, account_id, email, display_name, valid_since, created_at)"
            " SELECT 'demo', 'account-' || number, 'a-person-with-a-long-address-' || number || '@example.com',"
            " '山田太郎', date_trunc('second', now()), now() FROM generate_series(1, 3) number"
        )
        site.rows("UPDATE accounts SET display_name = E'bad\\x1b[31m' WHERE account_id = 'account-1'")
        yield site


def on_terminal(site, *arguments, columns=80, errors=False):
    """What a command writes to a terminal of this width: its result, or with `errors` what goes to standard error."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    streams = {"stdout": subprocess.DEVNULL, "stderr": slave} if errors else {"stdout": slave, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([BINARY, *arguments, "--config", site.config], env=site.environment(), stdin=subprocess.DEVNULL, **streams)
    os.close(slave)
    written = b""
    try:
        while part := os.read(master, 65536):
            written += part
    except OSError:
        pass  # The other end is closed.
    assert process.wait(TIMEOUT) == 0
    os.close(master)
    return written.decode()


def width(text):
    return sum(2 if "\u1100" <= letter and letter > "\u2e80" else 1 for letter in text)


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_no_line_of_a_table_is_wider_than_the_terminal(site, columns):
    lines = on_terminal(site, "users", "list", "demo", columns=columns).split("\r\n")[:-1]
    assert lines[0].startswith("ACCO") and len(lines) == 4
    assert all(width(line) <= columns for line in lines), lines
    assert any("…" in line for line in lines)


def test_a_pipe_gets_every_text_whole_and_no_control_character(site):
    printed = site.run("users", "list", "demo", check=True).stdout
    assert "a-person-with-a-long-address-3@example.com" in printed and "山田太郎" in printed and "…" not in printed
    assert "\x1b" not in printed
    assert len({line.index("@example.com") for line in printed.splitlines()[1:]}) == 1, "the columns stand below one another"


def test_progress_is_shown_on_a_terminal_alone_and_taken_away(site):
    shown = on_terminal(site, "users", "list", "demo", errors=True)
    assert "3 accounts" in shown and shown.endswith("\r\x1b[K")
    assert site.run("users", "list", "demo", check=True).stderr == ""


def test_projects_are_listed(site):
    lines = site.run("projects", "list", check=True).stdout.splitlines()
    assert lines[0].split() == ["PROJECT", "NUMBER", "ISSUER", "SIGN-IN"]
    assert lines[1].split()[:3] == ["demo", "100000000001", site.issuer]
    told = json.loads(site.run("projects", "list", "--json", check=True).stdout)
    assert told["project"] == "demo" and told["signIn"] == ["password", "emailLink", "anonymous"] and told["providers"] == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_the_commands(shell):
    script = subprocess.run([BINARY, "completion", shell], capture_output=True, text=True, timeout=TIMEOUT, check=True).stdout
    assert "doctor" in script and "service-accounts" in script


@pytest.mark.parametrize(
    "words, completed",
    [
        (["do"], ["doctor"]),
        (["keys", "rotate", "--purpose", ""], ["idToken", "sessionCookie"]),
        (["keys", "rotate", "--algorithm", "R"], ["RS256"]),
        (["audit", "list", "demo", "--action", "account.d"], ["account.deleted", "account.disabled"]),
        (["service-accounts", "set-rights", "demo", "x", "--rights", "re"], ["readUsers", "readPasswordHashes"]),
        (["users", "list", "--config", "CONFIG", ""], ["demo"]),
        (["mails", "retry", "--config", "CONFIG", "--project", "d"], ["demo"]),
        (["users", "list", "--config", "/nowhere", ""], []),
    ],
)
def test_bash_completes_commands_and_values_with_the_script(site, tmp_path, words, completed):
    script = subprocess.run([BINARY, "completion", "bash"], capture_output=True, text=True, timeout=TIMEOUT, check=True).stdout
    (tmp_path / "completion").write_text(script)
    line = [str(BINARY), *(site.config if word == "CONFIG" else word for word in words)]
    quoted = " ".join(shlex.quote(str(word)) for word in line)
    ask = (
        f"source {tmp_path}/completion; COMP_WORDS=({quoted}); COMP_CWORD={len(words)}; COMP_LINE={shlex.quote(quoted)}; "
        "COMP_POINT=${#COMP_LINE}; function=$(complete -p gatehouse | sed 's/.*-F \\([^ ]*\\).*/\\1/'); "
        f'"$function" gatehouse {shlex.quote(words[-1])} {shlex.quote(str(line[-2]))}; echo "${{COMPREPLY[@]}}"'
    )
    told = subprocess.run(["bash", "-c", ask], env=site.environment(), capture_output=True, text=True, timeout=TIMEOUT)
    assert [word for word in told.stdout.split() if not word.startswith("-")] == completed, told.stdout + told.stderr


@pytest.mark.parametrize(
    "words", [["help"], ["help", "users", "list"], ["completion", "bash"], ["openapi"], ["config", "schema", "server"]]
)
def test_config_may_stand_behind_every_command(words):
    """As the script of the installation page writes it."""
    plain, told = (
        subprocess.run([BINARY, *words, *more], capture_output=True, text=True, timeout=TIMEOUT, check=True).stdout
        for more in ([], ["--config", "/etc/gatehouse/gatehouse.yaml"])
    )
    assert told == plain and told


def test_a_shell_that_is_not_known_ends_with_64():
    assert subprocess.run([BINARY, "completion", "tcsh"], capture_output=True, timeout=TIMEOUT).returncode == 64


def test_a_reader_that_goes_away_ends_the_command(site):
    command = f"{BINARY} users list demo --json --config {site.config} | head -1"
    result = subprocess.run(["bash", "-c", command], env=site.environment(), capture_output=True, text=True, timeout=TIMEOUT)
    assert result.returncode == 0 and result.stdout.count("\n") == 1 and result.stderr == ""


def test_ctrl_c_at_a_password_ends_the_command_and_leaves_the_terminal_with_its_echo(site):
    master, slave = pty.openpty()
    command = [BINARY, "users", "create", "demo", "--email", "late@example.com", "--password", "--config", site.config]
    process = subprocess.Popen(command, env=site.environment(), stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stderr.read(9) == b"Password:"
    os.write(master, b"correct horse\x03")
    assert process.wait(TIMEOUT) == 1
    assert b"interrupted" in process.stderr.read()
    assert termios.tcgetattr(slave)[3] & termios.ECHO
    assert site.rows("SELECT 1 FROM accounts WHERE email = 'late@example.com'") in ("", [])
    for end in (master, slave):
        os.close(end)


def test_a_group_of_commands_without_one_of_them_is_answered_with_what_it_has():
    """As by the script of `packaging/`, which writes `--config` behind every command."""
    for words, name in ((["users"], "gatehouse users"), ([], "gatehouse")):
        result = subprocess.run([BINARY, *words, "--config", "a.yaml"], capture_output=True, text=True, timeout=TIMEOUT)
        assert result.returncode == 64 and f"Error: {name} needs a subcommand in front of --config; it has" in result.stderr
