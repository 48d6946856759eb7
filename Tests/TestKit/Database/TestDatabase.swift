import Glibc
package import Logging
package import Postgres
package import Runtime

/// Databases for tests, on a real PostgreSQL.
///
/// The cluster is the one that `GATEHOUSE_TEST_DATABASE` names (the URL of a superuser; tests may drop everything in it). Without it, a
/// private cluster starts with the first test that needs one and is removed when the process has ended. The repository's migrations are
/// applied once, to a template that is copied for every test.
package enum TestDatabase {
    /// The URL of a new database with the repository's schema.
    package static func make() async throws -> Secret {
        try await make(migrations: Repository.root + "/Migrations")
    }

    /// The URL of a new database with the schema of the migrations in `folder`.
    package static func make(migrations folder: String) async throws -> Secret {
        try await TestCluster.shared().database(from: Schema(folder: folder))
    }

    /// The URL of a new database without anything in it.
    package static func empty() async throws -> Secret {
        try await TestCluster.shared().database(from: nil)
    }

    /// A `Database` on a new loop, for `url`.
    package static func open(_ url: Secret, _ settings: DatabaseSettings = settings) throws -> Database {
        Database(loop: try Loop(index: 0), url: url, settings: settings, metrics: Metrics(), log: silent)
    }

    /// The defaults, with long time limits for a busy machine: they only end a test that hangs.
    package static var settings: DatabaseSettings {
        var settings = DatabaseSettings()
        settings.patience = .seconds(600)
        settings.connectTimeout = .seconds(600)
        settings.statementTimeout = .seconds(600)
        settings.quiet = .seconds(600)
        return settings
    }

    package static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}

extension Database {
    /// Throws unless the database answers.
    package func ping() async throws(PostgresError) {
        _ = try await query("SELECT 1")
    }

    /// How many connections to this database wait for a lock.
    package func countWaitsForLocks() async throws(PostgresError) -> Int {
        try await query("SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").count
    }
}

/// The folder of this package's sources.
package enum Repository {
    package static let root = #filePath.split(separator: "/").dropLast(4).reduce(into: "") { $0 += "/" + $1 }
}
