import Dispatch
import Glibc
import Runtime

/// A program that this process has started.
struct ChildProcess: Sendable {
    let id: pid_t

    /// Where the child reads from and writes to, other than this process's own.
    struct Streams {
        var input: Int32?
        var output: Int32?
    }

    /// Starts the program `arguments[0]`, which is looked for in `PATH`.
    ///
    /// - Parameters:
    ///   - environment: all variables of the child.
    ///   - hasOwnGroup: whether Ctrl-C at the terminal is for this process alone.
    init(
        _ arguments: [String], environment: [String: String], streams: Streams = Streams(), hasOwnGroup: Bool = false
    ) throws(SystemError) {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A child inherits which signals are ignored or blocked here, and must itself notice that it is to end.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGTERM, SIGINT, SIGHUP, SIGPIPE] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (hasOwnGroup ? POSIX_SPAWN_SETPGROUP : 0)))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input = streams.input { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
        if let output = streams.output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
        let texts = CStrings(arguments)
        let variables = CStrings(environment.map { "\($0)=\($1)" })
        defer {
            texts.free()
            variables.free()
        }
        var id = pid_t()
        let code = posix_spawnp(&id, arguments[0], &actions, &attributes, texts.pointers, variables.pointers)
        guard code == 0 else { throw SystemError(arguments[0], code: code) }
        self.id = id
    }

    /// Waits for the end of the child.
    ///
    /// - Parameter ended: called when the child has ended and its id still cannot belong to another process.
    /// - Returns: its exit status; 128 and the signal's number for one that a signal has ended, as shells say it.
    func status(_ ended: @escaping @Sendable () -> Void = {}) async -> Int32 {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [id] in
                var information = siginfo_t()
                // WNOWAIT leaves the child as it is, so that the system keeps its id.
                while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
                ended()
                var status: Int32 = 0
                while waitpid(id, &status, 0) < 0, errno == EINTR {}
                let signal = status & 0x7F
                continuation.resume(returning: signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
            }
        }
    }

    /// Tells the child to end.
    func terminate() { kill(id, SIGTERM) }
}

/// Texts in the form of `argv` and `environ`.
private struct CStrings {
    let pointers: [UnsafeMutablePointer<CChar>?]

    init(_ texts: [String]) { pointers = texts.map { strdup($0) } + [nil] }

    func free() { for pointer in pointers { Glibc.free(pointer) } }
}
