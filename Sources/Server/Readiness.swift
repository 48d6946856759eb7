import Postgres
import Runtime
import Synchronization

/// Finds out whether one loop can serve requests. Callers who ask at the same time share one question to the database, because each
/// question gets a connection for writes before all calls that wait.
actor Readiness {
    nonisolated var unownedExecutor: UnownedSerialExecutor { database.loop.asUnownedSerialExecutor() }
    private let database: Database
    private let schema: Schema
    private var question: Task<Void, any Error>?

    init(_ database: Database, _ schema: Schema) {
        self.database = database
        self.schema = schema
    }

    /// Throws unless the database answers, its schema is this binary's, and it takes writes.
    func verify() async throws {
        if let question { return try await question.value }
        let question = Task { [database, schema] in
            async let takesWrites: Void = database.verifyTakesWrites()
            try await schema.verify(database)
            try await takesWrites
        }
        self.question = question
        defer { self.question = nil }
        try await question.value
    }

    /// As `verify`, for a page that says whether the server is ready, and does not wait as long as a call may: throws when the answer is not there
    /// within `longest`.
    func verify(within longest: Duration) async throws {
        try await withUnsafeThrowingContinuation { continuation in
            let answer = FirstAnswer(continuation)
            Task {
                do { answer.give(.success(try await verify())) } catch { answer.give(.failure(error)) }
            }
            database.loop.schedule(after: longest) { answer.give(.failure(PostgresError.unavailable("no answer within \(longest)"))) }
        }
    }
}

/// Gives the first of several answers to the one who waits, and drops the others.
private final class FirstAnswer: Sendable {
    private let waiting: Mutex<UnsafeContinuation<Void, any Error>?>

    init(_ continuation: UnsafeContinuation<Void, any Error>) { waiting = Mutex(continuation) }

    func give(_ answer: Result<Void, any Error>) { waiting.withLock { $0.take() }?.resume(with: answer) }
}

/// Keeps whether the server could serve requests when it last looked, for metrics.
final class ReadinessRecord: Sendable {
    private let isReady = Atomic(false)

    init(metrics: Metrics) {
        metrics.gauge("gatehouse_ready", "Whether the server could serve requests when it last looked: 1 or 0.") { [weak self] in
            self?.isReady.load(ordering: .relaxed) == true ? 1 : 0
        }
    }

    /// Looks, and throws the reason why the server is not ready.
    func look(_ readiness: @Sendable () async throws -> Void) async throws {
        do { try await readiness() } catch {
            isReady.store(false, ordering: .relaxed)
            throw error
        }
        isReady.store(true, ordering: .relaxed)
    }
}
