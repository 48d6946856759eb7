import Glibc
package import Logging
package import Postgres
package import Runtime

/// Databases for tests, on a real PostgreSQL.
///
/// The cluster is the one that `GATEHOUSE_TEST_DATABASE` names (the URL of a superuser; everything in it is ours to drop), or a private
/// one that starts with the first test that wants it and is gone when the process has ended. The repository's migrations are
/// applied once, to a template that every test's database is copied from.
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

    /// A `Database` on a loop of its own, for `url`.
    package static func open(_ url: Secret, _ settings: DatabaseSettings = settings) throws -> Database {
        Database(loop: try Loop(index: 0), url: url, settings: settings, metrics: Metrics(), log: silent)
    }

    /// The defaults, with patience for a machine that has other things to do: these bounds only end a test that hangs.
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

/// Where the sources of this package are.
package enum Repository {
    package static let root = #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/" + $1 }
}
