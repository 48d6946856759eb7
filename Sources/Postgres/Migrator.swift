import Crypto
import Dispatch
package import Runtime

/// Brings a database's schema up to date from a folder of `NNNN_name.sql` files, forward only.
///
/// Each file runs once, in a transaction of its own, in the order of the numbers; `schema_migrations` keeps number, name and SHA-256, so
/// that edited history is caught. An advisory lock lets any number of processes start this at once: one works, the others wait and
/// then find nothing to do.
package struct Migrator: Sendable {
    private let directory: String

    package init(directory: String) {
        self.directory = directory
    }

    /// Applies what is missing; the names of the files it applied. Works on a thread and a connection of its own, since a migration may
    /// take long.
    package func migrate(url: Secret) async throws(MigrationError) -> [String] {
        let migrations = try Migration.read(directory)
        return try await withUnsafeContinuation { (answer: UnsafeContinuation<Result<[String], MigrationError>, Never>) in
            DispatchQueue.global().async {
                do throws(MigrationError) {
                    answer.resume(returning: .success(try Self.apply(migrations, url)))
                } catch {
                    answer.resume(returning: .failure(error))
                }
            }
        }.get()
    }

    private static func apply(_ migrations: [Migration], _ url: Secret) throws(MigrationError) -> [String] {
        let session = try MigrationSession(url)
        try session.lock()
        let pending = try migrations.pending(after: try session.applied())
        for migration in pending { try session.apply(migration) }
        return pending.map(\.name)
    }

    /// Throws unless the database has exactly the folder's migrations; the error says what to do.
    package func verify(_ database: Database) async throws(MigrationError) { try await schema().verify(database) }

    /// What the folder asks of a database, read once for those who check often.
    package func schema() throws(MigrationError) -> Schema { Schema(migrations: try Migration.read(directory)) }

    /// A name for exactly this schema: changes with any of the files.
    package func fingerprint() throws(MigrationError) -> String {
        Migration.hexadecimal(Digest.sha256(Array(try Migration.read(directory).map { $0.name + $0.sha256 }.joined().utf8)))
    }
}

/// The schema that this binary works with.
package struct Schema: Sendable {
    let migrations: [Migration]

    /// Throws unless the database has exactly these migrations; the error says what to do.
    package func verify(_ database: Database) async throws(MigrationError) {
        let pending = try migrations.pending(after: try await applied(database))
        if !pending.isEmpty { throw .behind(pending.map(\.name)) }
    }

    private func applied(_ database: Database) async throws(MigrationError) -> [AppliedMigration] {
        do throws(PostgresError) {
            return try await database.query("SELECT number, name, sha256 FROM schema_migrations ORDER BY number").map {
                row throws(PostgresError) in
                AppliedMigration(number: try row.get(0), name: try row.get(1), sha256: try row.get(2))
            }
        } catch .sql("42P01", _) {
            return []
        } catch {
            throw .database(error)
        }
    }
}
