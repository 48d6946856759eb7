import FoundationEssentials
import Glibc
import Runtime

/// A PostgreSQL server for one run of `gatehouse dev`: reached by a socket in a folder, without passwords, and without waiting for the disk.
///
/// A shell script starts it, waits until its standard input ends, stops it and removes what is to be thrown away. The system closes that
/// input when this process ends, in whatever way, so no server and no folder is left behind.
struct PrivatePostgres {
    private let keeper: ChildProcess
    /// The end of the pipe whose other end the script reads.
    private let line: Int32
    let url: String

    /// - Parameters:
    ///   - folder: where its data is, or is to be made.
    ///   - run: a folder that is removed at the end.
    ///   - keepsData: whether the data must survive a crash of the machine.
    static func start(in folder: String, run: String, keepsData: Bool, environment: [String: String]) async throws -> PrivatePostgres {
        let programs = try programs()
        let owner = try Owner()
        let socket = run + "/socket"
        for place in [folder, socket] { try owner.makeFolder(place) }
        let durability = keepsData ? "on" : "off"
        let input = try Pipe()
        let output = try Pipe()
        let keeper: ChildProcess
        do {
            keeper = try ChildProcess(
                ["/bin/sh", "-c", script, "gatehouse-dev", folder, socket, programs, run, durability] + owner.command,
                environment: environment, streams: .init(input: input.reader, output: output.writer), hasOwnGroup: true)
        } catch { throw Failed("PostgreSQL cannot be started: \(error)") }
        close(input.reader)
        close(output.writer)
        guard await output.readsReady() else {
            close(input.writer)
            _ = await keeper.status()
            throw Failed("PostgreSQL did not start; the reason is above")
        }
        return PrivatePostgres(keeper: keeper, line: input.writer, url: "postgresql:///postgres?host=\(socket)&user=postgres")
    }

    /// Stops the server, and removes what is to be thrown away.
    func stop() async {
        close(line)
        _ = await keeper.status()
    }

    /// The folder with the programs of the newest installation, which Debian does not put into `PATH`.
    private static func programs() throws -> String {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let folders =
            versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "/usr/lib/postgresql/\($0)/bin" }
            + ["/usr/local/pgsql/bin", "/usr/local/bin", "/usr/bin"]
        guard let folder = folders.first(where: { access($0 + "/initdb", X_OK) == 0 && access($0 + "/pg_ctl", X_OK) == 0 }) else {
            throw Failed(
                "no PostgreSQL server is installed; install one (Debian, Ubuntu: apt-get install postgresql), or name a database with --database"
            )
        }
        return folder
    }

    private static let script = """
        set -eu
        data=$1 socket=$2 programs=$3 run=$4 durability=$5
        shift 5
        say() { echo "gatehouse dev: $*" >&2; }
        # Whether the server that runs on these data is this one. The fifth line of the file is the folder of its socket.
        is_ours() { [ "$(sed -n 5p "$data/postmaster.pid" 2>/dev/null)" = "$socket" ]; }
        finish() {
            if is_ours; then "$@" "$programs/pg_ctl" -D "$data" -m fast -w stop >/dev/null 2>&1 || true; fi
            rm -rf "$run"
        }
        trap 'finish "$@"' EXIT
        # Only the end of the input ends it; otherwise the server would be left behind.
        trap : HUP INT TERM
        cd /
        "$@" test -e "$data/." || { say "the user postgres, who runs PostgreSQL, cannot get into $data; choose another folder"; exit 1; }
        if [ ! -e "$data/PG_VERSION" ]; then
            "$@" "$programs/initdb" -D "$data" -U postgres -E UTF8 --locale=C -A trust --no-sync >"$run/initdb.log" 2>&1 \\
                || { cat "$run/initdb.log" >&2; exit 1; }
        fi
        settings="-c listen_addresses= -c max_connections=1000 -c synchronous_commit=off -c fsync=$durability -c full_page_writes=$durability"
        # A plan that was made for empty tables is made anew once they are analyzed. A test suite fills them in less than the usual minute.
        settings="$settings -c autovacuum_naptime=1s"
        "$@" "$programs/pg_ctl" -D "$data" -o "-k $socket $settings" -l "$socket/log" -w start >/dev/null 2>&1 \\
            || {
                if "$@" "$programs/pg_ctl" -D "$data" status >/dev/null 2>&1 && ! is_ours; then
                    say "another gatehouse dev uses $data; stop it, or choose another folder with --data"
                elif [ -e "$socket/log" ]; then
                    tail -5 "$socket/log" >&2
                fi
                exit 1
            }
        echo ready
        cat >/dev/null
        """
}

/// The user who runs PostgreSQL: the present one, or for root, as whom it refuses to run, the one that the package made.
private struct Owner {
    /// The words in front of each call of PostgreSQL's programs.
    let command: [String]
    private let ids: (user: uid_t, group: gid_t)?

    init() throws {
        guard geteuid() == 0 else {
            command = []
            ids = nil
            return
        }
        guard let entry = getpwnam("postgres"), access("/usr/bin/setpriv", X_OK) == 0 else {
            throw Failed(
                "PostgreSQL does not run as root, and the user postgres or the program setpriv, which it would run by, is not there; start gatehouse dev as another user, or name a database with --database"
            )
        }
        ids = (entry.pointee.pw_uid, entry.pointee.pw_gid)
        command = ["/usr/bin/setpriv", "--reuid", "postgres", "--regid", "postgres", "--init-groups", "--"]
    }

    /// Makes a folder of this user's, unless it is there.
    func makeFolder(_ path: String) throws {
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw Failed("the folder \(path) cannot be made: \(SystemError("mkdir"))") }
        if let ids, chown(path, ids.user, ids.group) != 0 { throw Failed("the folder \(path) cannot be prepared: \(SystemError("chown"))") }
    }
}
