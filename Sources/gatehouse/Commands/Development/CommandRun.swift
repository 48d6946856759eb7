import Glibc
import Runtime
import Synchronization

/// The command behind `--`, from its start to its end.
///
/// When the system kills this process, no code of it runs that could end the command. So a shell waits beside it for the end of a pipe, which the
/// system closes then, and ends the command.
final class CommandRun {
    private let command: [String]
    private let environment: [String: String]
    private var process: ChildProcess?
    private var end: Task<Int32, Never>?
    private var failure: Failed?
    private let hasEnded = EndOfCommand()

    init(_ command: [String], _ environment: [String: String]) {
        self.command = command
        self.environment = environment
    }

    /// Starts the command, whose end stops the server.
    func start() {
        do {
            let process = try ChildProcess(command, environment: environment)
            self.process = process
            let line = try guardEnd(of: process)
            end = Task { [hasEnded] in
                let status = await process.status {
                    hasEnded.value.withLock { $0 = true }
                    // Without a line, the shell would end a process that may have got the command's id meanwhile.
                    _ = write(line, "\n", 1)
                    close(line)
                }
                ServerProcess.stop()
                return status
            }
        } catch {
            process?.terminate()
            failure = Failed("the command cannot be run: \(error)")
            ServerProcess.stop()
        }
    }

    /// The command's status; `nil` where none was started. A command that still runs is told to end.
    func finish() async throws -> Int32? {
        if let failure { throw failure }
        hasEnded.value.withLock { if !$0 { process?.terminate() } }
        return await end?.value
    }

    /// Starts the shell that ends the command when this process does not.
    ///
    /// - Returns: the end of the pipe that keeps it waiting. A line says that the command has ended by itself.
    private func guardEnd(of process: ChildProcess) throws -> Int32 {
        let pipe = try Pipe()
        defer { close(pipe.reader) }
        _ = try ChildProcess(
            ["/bin/sh", "-c", "read -r ended || kill \"$1\"", "gatehouse-dev", "\(process.id)"], environment: environment,
            streams: .init(input: pipe.reader), hasOwnGroup: true)
        return pipe.writer
    }
}

/// Whether the command has ended; then its id may belong to another process.
private final class EndOfCommand: Sendable {
    let value = Mutex(false)
}
