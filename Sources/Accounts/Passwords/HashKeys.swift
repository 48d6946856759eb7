package import Crypto
import Postgres
package import ProjectSettings
import Runtime

/// The keys that other systems made their password hashes with, sealed in the database. They never change, and stay as long as the project.
package struct HashKeys: Sendable {
    let storage: Storage
    let masterKey: MasterKey
    let clock: Clock

    /// Stores a key, unless the project has it.
    package func store(_ key: ImportedHashKey, in project: ProjectSettings) async throws(AccountError) {
        let sealed = masterKey.hashKeys.seal(key.stored, context: Self.context(project.storageID, key.id))
        _ = try await storage.write(
            """
            INSERT INTO hash_keys (project_id, key_id, secret, created_at) VALUES (\(project: project), \(key.id), \(sealed), \(clock.now()))
            ON CONFLICT DO NOTHING
            """)
    }

    /// The keys that `hash` needs: none, where it is of a scheme without keys. Throws `hashKeyMissing` and `sealBroken`.
    func keys(of hash: PasswordHash, in project: ProjectSettings) async throws(AccountError) -> ImportedHashKeys {
        guard let id = hash.keyID else { return .none }
        let rows = try await storage.read("SELECT secret FROM hash_keys WHERE project_id = \(project: project) AND key_id = \(id)")
        guard let sealed = try reading({ try rows.first?.value(as: [UInt8].self) }) else { throw .hashKeyMissing(id) }
        guard let stored = try? masterKey.hashKeys.open(sealed, context: Self.context(project.storageID, id)),
            let key = ImportedHashKey(id: id, stored: stored)
        else { throw .sealBroken("the key \(id) of imported password hashes") }
        return ImportedHashKeys([key])
    }

    /// Throws `hashKeyMissing` unless the project has all keys with these ids.
    func require(_ ids: Set<String>, in project: ProjectSettings) async throws(AccountError) {
        guard !ids.isEmpty else { return }
        let rows = try await storage.read(
            "SELECT key_id FROM hash_keys WHERE project_id = \(project: project) AND key_id = ANY(\(ids.sorted()))")
        let known = try reading { Set(try rows.map { row throws(PostgresError) in try row.value(as: String.self) }) }
        if let missing = ids.subtracting(known).sorted().first { throw .hashKeyMissing(missing) }
    }

    static func context(_ project: String, _ id: String) -> String { "\(project) \(id)" }
}

extension ImportedHashKey {
    /// The length of the separator, the separator, the secret.
    fileprivate var stored: [UInt8] { [UInt8(saltSeparator.count)] + saltSeparator + secret }

    fileprivate init?(id: String, stored: [UInt8]) {
        guard let length = stored.first.map(Int.init), stored.count > length else { return nil }
        try? self.init(id: id, secret: Array(stored[(1 + length)...]), saltSeparator: Array(stored[1..<1 + length]))
    }
}
