package import Postgres

/// Writes to the database what `SignInLog` remembers. Work that no request waits for runs it, one run at a time.
package struct SignInLogWriter: Sendable {
    /// The most lines of one statement.
    private static let piece = 1000

    private let log: SignInLog
    private let storage: Storage

    package init(_ log: SignInLog, database: Database) {
        self.log = log
        storage = Storage(database: database)
    }

    /// Writes all lines that wait, a thousand of one project by one statement. Lines that the database cannot take now wait on; those that it refuses are
    /// lost and counted. Throws the first error, behind the lines of all projects that could be written.
    ///
    /// The lines are committed before the disk has them: a crash of the database loses those of its last moments.
    package func write() async throws(AccountError) {
        var first: AccountError?
        var isDown = false
        for (project, entries) in log.take().sorted(by: { $0.key < $1.key }) {
            var rest = entries[...]
            if isDown {
                log.putBack(rest, of: project)
                continue
            }
            while !rest.isEmpty {
                let piece = rest.prefix(Self.piece)
                let statement = SignInLogEntry.insertion(of: Array(piece), in: project)
                do {
                    _ = try await storage.write(all: [statement], sharingCommitAs: Array(project.utf8), durability: .soon)
                    rest = rest.dropFirst(piece.count)
                } catch {
                    first = first ?? error
                    if error.mayPass {
                        log.putBack(rest, of: project)
                        // A database that is down is asked once; where one project's rows cannot be written now, the next project's may be.
                        isDown = error.isUnavailable
                        break
                    }
                    log.lose(piece.count, .unwritable)
                    rest = rest.dropFirst(piece.count)
                }
            }
        }
        if let first { throw first }
    }
}

extension AccountError {
    /// Whether the same statement may succeed later.
    fileprivate var mayPass: Bool {
        switch self {
        case .database(.unavailable), .database(.timedOut), .database(.locked): true
        default: false
        }
    }

    fileprivate var isUnavailable: Bool {
        if case .database(.unavailable) = self { true } else { false }
    }
}
