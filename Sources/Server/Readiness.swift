import Postgres

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
}
