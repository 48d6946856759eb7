import Crypto
package import Postgres
package import Runtime

/// Reads what the database holds, for an operator who asks whether all is well. Changes nothing.
package struct Inspection: Sendable {
    let storage: Storage
    let masterKey: MasterKey
    let clock: Clock

    package init(database: Database, masterKey: MasterKey, clock: Clock) {
        storage = Storage(database: database)
        self.masterKey = masterKey
        self.clock = clock
    }

    /// The signing keys, as the master key sees them.
    package struct Keys: Sendable {
        /// Those for ID tokens.
        package var ids: [String] = []
        /// Those that a former master key has sealed.
        package var formerlySealed: [String] = []
        /// When each key that signs now began to.
        package var signing: [(purpose: SigningKeyPurpose, id: String, algorithm: String, since: Instant)] = []
    }

    package func keys() async throws(AccountError) -> Keys {
        var keys = Keys()
        for purpose in SigningKeyPurpose.allCases { try await add(purpose, to: &keys) }
        return keys
    }

    private func add(_ purpose: SigningKeyPurpose, to keys: inout Keys) async throws(AccountError) {
        let now = clock.now()
        let rows = try await storage.read(
            """
            SELECT kid, private_key, algorithm, signs_from,
                signs_from = max(signs_from) FILTER (WHERE signs_from <= \(now)) OVER (PARTITION BY algorithm)
            FROM \(purpose.table) WHERE retires_at IS NULL OR retires_at > \(now) ORDER BY kid
            """)
        for row in rows {
            var row = row.reader()
            let (id, sealed): (String, [UInt8]) = try reading { (try row.next(), try row.next()) }
            let (algorithm, since): (String, Instant) = try reading { (try row.next(), try row.next()) }
            let signs = try reading { try row.next(as: Bool?.self) } ?? false
            if purpose == .idToken { keys.ids.append(id) }
            if signs { keys.signing.append((purpose, id, algorithm, since)) }
            if masterKey.signingKeys.isSealedByFirst(sealed, context: id) { continue }
            if (try? masterKey.signingKeys.open(sealed, context: id)) != nil { keys.formerlySealed.append(id) }
        }
    }

    /// The published signing keys that no listed master key opens. Without each of them, no server starts.
    ///
    /// Takes the schema of every version, since `gatehouse migrate` asks before it changes one: a table that is not there has no keys.
    package func unopenedKeys() async throws(AccountError) -> [String] {
        var unopened: [String] = []
        for purpose in SigningKeyPurpose.allCases {
            let tables = try await storage.read("SELECT to_regclass(\(purpose.tableName)) IS NOT NULL")
            guard try reading({ try tables.first?.value(as: Bool.self) }) == true else { continue }
            let rows = try await storage.read(
                """
                SELECT kid, private_key FROM \(purpose.table) WHERE retires_at IS NULL OR retires_at > \(clock.now()) ORDER BY kid
                """)
            for row in rows {
                var row = row.reader()
                let (id, sealed): (String, [UInt8]) = try reading { (try row.next(), try row.next()) }
                if (try? masterKey.signingKeys.open(sealed, context: id)) == nil { unopened.append(id) }
            }
        }
        return unopened
    }

    package func hasAccounts(_ project: String) async throws(AccountError) -> Bool {
        let rows = try await storage.read("SELECT EXISTS (SELECT 1 FROM accounts WHERE project_id = \(project: project))")
        return try reading { try rows.first?.value() ?? false }
    }

    /// How many accounts of a project have a password hash of another system, by the names of the schemes. Reads all its accounts.
    package func importedHashes(of project: String) async throws(AccountError) -> [(scheme: String, count: Int64)] {
        let rows = try await storage.read(
            """
            SELECT CASE WHEN password_hash LIKE '$2_$%' THEN 'bcrypt' ELSE split_part(password_hash, '$', 2) END, count(*) FROM accounts
            WHERE project_id = \(project: project) AND password_hash NOT LIKE '$scrypt$%' GROUP BY 1 ORDER BY 1
            """)
        return try reading {
            try rows.map { row throws(PostgresError) in
                var row = row.reader()
                return (scheme: try row.next(), count: try row.next())
            }
        }
    }

    /// Whether a project has something left that every server deletes at its start and every few minutes, an hour after it has expired.
    package func hasLeftovers(_ project: String) async throws(AccountError) -> Bool {
        let dayAgo = clock.now() - .seconds(86400)
        let rows = try await storage.read(
            """
            SELECT EXISTS (SELECT 1 FROM sign_in_flows WHERE project_id = \(project: project) AND expires_at < \(dayAgo))
                OR EXISTS (SELECT 1 FROM deliveries WHERE project_id = \(project: project) AND expires_at < \(dayAgo))
            """)
        return try reading { try rows.first?.value() ?? false }
    }

    /// The keys of a project's service accounts that were made before `time` and still sign, the oldest first.
    package func serviceAccountKeys(
        of project: String, madeBefore time: Instant
    ) async throws(AccountError) -> [(email: String, id: String, made: Instant)] {
        let rows = try await storage.read(
            """
            SELECT email, key_id, created_at FROM service_account_keys
            WHERE project_id = \(project: project) AND revoked_at IS NULL AND created_at < \(time) ORDER BY created_at, key_id LIMIT 100
            """)
        return try reading {
            try rows.map { row throws(PostgresError) in
                var row = row.reader()
                return (try row.next(), try row.next(), try row.next())
            }
        }
    }
}
