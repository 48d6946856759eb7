import Accounts
package import Postgres
package import Runtime

/// Finds out whether the configured master keys belong to the database. With others, no server starts, and what one seals no other can read.
package enum MasterKeyFindings {
    /// The way to mend a master key that is not the database's.
    static let remedy =
        "list in masterKey the key that sealed them; for a restored backup, that is the key from the time of the backup. If it is lost, "
        + "docs/operations/keys.md (If it is lost) says how to go on without it"

    /// A fault when no listed master key opens some of the signing keys. The database may have an older schema, or none.
    package static func findings(_ database: Database, _ settings: ServerSettings, _ clock: Clock) async throws -> [Finding] {
        let unopened = try await Inspection(database: database, masterKey: settings.masterKey, clock: clock).unopenedKeys()
        guard !unopened.isEmpty else { return [] }
        return [
            .fault("data.masterKey", "No listed master key opens the signing keys \(unopened.joined(separator: ", "))", remedy)
        ]
    }
}
