import Crypto
import Dispatch
package import Runtime

/// The schema that a program works with, as migrations named `NNNN_name.sql`. It brings databases up to date; it never goes back.
///
/// Each migration runs once, in a transaction of its own, in the order of the numbers. `schema_migrations` keeps number, name and SHA-256,
/// so that a changed file is noticed. An advisory lock allows any number of processes to start this at once: one works; the others wait,
/// and then find nothing to do.
package struct Schema: Sendable {
    let migrations: [Migration]

    /// - Parameter files: the name and content of each file.
    package init(files: [(name: String, bytes: [UInt8])]) throws(MigrationError) {
        migrations = try Migration.ordered(files)
    }

    /// A schema without migrations.
    package static let none = Schema(migrations: [])

    private init(migrations: [Migration]) { self.migrations = migrations }

    /// The number of its newest migration; 0 for a schema without any.
    package var newest: Int { migrations.newest }

    /// The files of a folder that end in `.sql`.
    package init(folder: String) throws(MigrationError) {
        migrations = try Migration.read(folder)
        if migrations.isEmpty { throw .folder("\(folder) has no migration in it") }
    }

    /// Applies the missing migrations and returns their names. Applies none while a program that one of them would break is connected. Works on a separate thread and connection, since a migration may take long.
    package func migrate(url: Secret) async throws(MigrationError) -> [String] {
        try await withUnsafeContinuation { (answer: UnsafeContinuation<Result<[String], MigrationError>, Never>) in
            DispatchQueue.global().async {
                do throws(MigrationError) {
                    answer.resume(returning: .success(try apply(url)))
                } catch {
                    answer.resume(returning: .failure(error))
                }
            }
        }.get()
    }

    private func apply(_ url: Secret) throws(MigrationError) -> [String] {
        let session = try MigrationSession(url)
        try session.lock()
        let pending = try migrations.pending(after: try session.applied())
        if let connected = try session.oldestProgram(), let breaking = pending.first(where: { $0.requires > connected }) {
            throw .inUse(breaking.name, by: connected)
        }
        for migration in pending { try session.apply(migration) }
        return pending.map(\.name)
    }

    /// Throws unless the database has these migrations, and no further ones but those that a program with these may work beside; the error says
    /// what to do.
    package func verify(_ database: Database) async throws(MigrationError) {
        let pending = try migrations.pending(after: try await applied(database))
        if !pending.isEmpty { throw .behind(pending.map(\.name)) }
    }

    private func applied(_ database: Database) async throws(MigrationError) -> [AppliedMigration] {
        do throws(PostgresError) {
            let rows = try await database.query(SQL(stringLiteral: AppliedMigration.selection))
            return try rows.map(AppliedMigration.init)
        } catch .sql("42P01", _) {
            return []
        } catch {
            throw .database(error)
        }
    }

    /// A digest of this schema, which changes with each of its files.
    package var fingerprint: String {
        Hex.encode(Digest.sha256(Array(migrations.map { $0.name + $0.sha256 }.joined().utf8)))
    }
}
