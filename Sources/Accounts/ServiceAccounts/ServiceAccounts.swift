import Crypto
import JOSE
import JSON
package import Postgres
package import ProjectSettings
package import Runtime
import Text

/// The service accounts of all projects: their rights, and the keys with which they sign.
///
/// A key is made here and leaves in its file (`KeyFile`); the database stores the public half. Every use reads the keys again, so a
/// revoked key is refused from that moment on. `CustomToken` and `ServiceAccountAssertion` have the rules for what the keys may sign.
package struct ServiceAccounts: Sendable {
    /// The number of live keys of one account, as at Google. For a token that does not name its key, all are tried.
    package static let mostKeys = 10

    let storage: Storage
    let clock: Clock

    package init(database: Database, clock: Clock) {
        storage = Storage(database: database)
        self.clock = clock
    }

    /// The facts about a key that `gatehouse service-accounts list` shows.
    package struct Entry: Sendable {
        package let email: String
        package let keyID: String
        /// Those of the account.
        package let rights: Set<Administrator.Right>
        package let createdAt: Instant
        package let revokedAt: Instant?
    }

    /// A new key, for a new or an existing account. This takes a tenth of a second or more, so it must not run on a loop that serves
    /// requests.
    ///
    /// Throws `ServiceAccountError.tooManyKeys`, `CryptoError`, `AccountError`.
    /// - Parameters:
    ///   - rights: what the account may do from now on; `nil` leaves an existing account as it is, and gives a new one the usual rights.
    ///   - publicURL: the server's own address, which the file names.
    package func createKey(
        for email: ServiceAccountEmail, rights: Set<Administrator.Right>? = nil, publicURL: String
    ) async throws -> KeyFile {
        let key = try PrivateKey.generate(.rsa())
        let keyID = Hex.encode(Random.bytes(20))
        let clientID = try await store(
            key.publicKey, id: keyID, of: email.text, rights: rights, in: email.projectID, by: act(by: "service-accounts create"))
        return KeyFile(email: email, clientID: clientID, keyID: keyID, key: key, publicURL: publicURL)
    }

    /// Takes over the public half of a key that Google made for a service account, whatever its project there, so that a back end goes on signing
    /// custom tokens with it. A new account may do nothing else.
    ///
    /// Throws `ServiceAccountError.tooManyKeys`, `keyExists`, `AccountError`.
    package func importKey(_ account: GoogleServiceAccount, into project: String) async throws {
        let key = try PrivateKey(pem: account.privateKey.reveal())
        do {
            _ = try await store(
                key.publicKey, id: account.keyID, of: account.email, rights: nil, ofNew: [.customTokens], in: project,
                by: act(by: "service-accounts import"))
        } catch AccountError.database(.constraint(name: "service_account_keys_pkey", state: _)) {
            throw ServiceAccountError.keyExists
        }
    }

    /// Stores a key of a new or an existing account. Returns the account's client id.
    ///
    /// - Parameters:
    ///   - rights: `nil` leaves an existing account as it is, and gives a new one those of `ofNew`.
    private func store(
        _ key: PublicKey, id keyID: String, of email: String, rights: Set<Administrator.Right>?,
        ofNew usual: Set<Administrator.Right> = Administrator.Right.usual, in project: String, by act: AuditedAct
    ) async throws -> String {
        let jwk = JWK(key: key, kid: UTF8Text(keyID), algorithm: .rs256)
        let now = clock.now()
        let results: [[Row]]
        do throws(AccountError) {
            results = try await storage.write(all: [
                """
                INSERT INTO service_accounts AS a (project_id, email, client_id, created_at, rights)
                VALUES (\(project: project), \(email), \(KeyFile.randomClientID()), \(now), \((rights ?? usual).names))
                ON CONFLICT (project_id, email) DO UPDATE SET rights = coalesce(\(rights?.names), a.rights)
                """,
                .required(
                    """
                    INSERT INTO service_account_keys (project_id, email, key_id, public_key, created_at)
                    SELECT \(project: project), \(email), \(keyID), \(jwk.json.text()), \(now)
                    WHERE (SELECT count(*) FROM service_account_keys
                        WHERE project_id = \(project: project) AND email = \(email) AND revoked_at IS NULL) < \(Self.mostKeys)
                    RETURNING key_id
                    """),
                act.record(
                    .serviceAccountKeyMade,
                    facts: "'serviceAccount', \(email), 'key', \(keyID), 'rights', \(rights.map { $0.names.joined(separator: ", ") })",
                    in: project),
                "SELECT client_id FROM service_accounts WHERE project_id = \(project: project) AND email = \(email)",
            ])
        } catch {
            if case .conflict = error { throw ServiceAccountError.tooManyKeys }
            throw error
        }
        guard let clientID: String = try results.last?.first?.value() else { throw AccountError.database(.decoding("client_id")) }
        return clientID
    }

    /// Every key that the project ever had, by account and age.
    package func list(_ project: String) async throws -> [Entry] {
        let rows = try await storage.read(
            """
            SELECT k.email, k.key_id, a.rights, k.created_at, k.revoked_at
            FROM service_account_keys k
            JOIN service_accounts a ON a.project_id = \(project: project) AND a.email = k.email
            WHERE k.project_id = \(project: project) ORDER BY k.email, k.created_at, k.key_id
            """)
        return try rows.map { row in
            var row = row.reader()
            return Entry(
                email: try row.next(), keyID: try row.next(), rights: Administrator.Right.reading(try row.next()),
                createdAt: try row.next(), revokedAt: try row.next())
        }
    }

    /// Gives an account these rights and no others, from the next call on. Returns whether there is such an account.
    package func setRights(_ rights: Set<Administrator.Right>, of email: ServiceAccountEmail) async throws(AccountError) -> Bool {
        let values = act(by: "service-accounts set-rights").values(
            .serviceAccountRightsSet, facts: "'serviceAccount', given.email, 'rights', \(rights.names.joined(separator: ", "))",
            in: email.projectID)
        let results = try await storage.write(all: [
            Self.holdRights(in: email.projectID),
            """
            WITH given AS (
                UPDATE service_accounts SET rights = \(rights.names)
                WHERE project_id = \(project: email.projectID) AND email = \(email.text) RETURNING email
            ), recorded AS (
                INSERT INTO audit_events \(AuditedAct.columns) SELECT \(values) FROM given
            )
            SELECT email FROM given
            """,
        ])
        return !results[1].isEmpty
    }

    /// Ends one key, or all keys of an account. Returns the ids of those that were live.
    package func revoke(_ scope: Scope, in project: String) async throws -> [String] {
        let (email, keyID): (String?, String?) =
            switch scope {
            case .account(let email): (email.text, nil)
            case .key(let id): (nil, id)
            }
        let values = act(by: "service-accounts revoke").values(
            .serviceAccountKeyRevoked, facts: "'serviceAccount', ended.email, 'key', ended.key_id", in: project)
        let results = try await storage.write(all: [
            Self.holdRights(in: project),
            """
            WITH ended AS (
                UPDATE service_account_keys SET revoked_at = \(clock.now())
                WHERE project_id = \(project: project) AND (email = \(email) OR key_id = \(keyID)) AND revoked_at IS NULL RETURNING key_id, email
            ), recorded AS (
                INSERT INTO audit_events \(AuditedAct.columns) SELECT \(values) FROM ended
            )
            SELECT key_id FROM ended
            """,
        ])
        return try results[1].map { row in try row.value() }
    }

    /// Only the command line changes service accounts.
    private func act(by command: String) -> AuditedAct { AuditedAct(by: .command(command), on: nil, from: nil, at: clock.now()) }

    /// Makes `holdRights` wait until the write that this is part of is committed.
    ///
    /// The two are no locks of rows, because PostgreSQL lets those that share a row overtake one that waits to change it: a stolen key whose
    /// writes never pause could hold up its own revocation. These are granted in the order of the requests.
    static func keepRights(in projectID: String) -> SQL {
        "SELECT 1 FROM pg_advisory_xact_lock_shared(hashtextextended('service accounts of ' || \(project: projectID), 0))"
    }

    /// Waits until no service account of the project is writing, and lets none write until the commit. Must come before the statements that
    /// take a key or a right away.
    private static func holdRights(in projectID: String) -> SQL {
        "SELECT 1 FROM pg_advisory_xact_lock(hashtextextended('service accounts of ' || \(project: projectID), 0))"
    }

    package enum Scope: Sendable {
        case account(ServiceAccountEmail)
        case key(id: String)
    }
}

package enum ServiceAccountError: Error {
    /// The account has `ServiceAccounts.mostKeys` live keys; one must be revoked first.
    case tooManyKeys
    /// The project has a key of this id, live or revoked.
    case keyExists
}

/// The name of a service account, in the form of an address that receives no mail.
package struct ServiceAccountEmail: Sendable, Equatable {
    /// Google's form of it, which every Admin SDK and the tools around them accept.
    private static let domain = ".iam.gserviceaccount.com"

    package let projectID: String
    package let text: String

    /// - Parameter name: lower-case letters, digits and hyphens, at most 30, a letter first; or the whole address.
    ///
    /// `nil` for any other name, and for the address of another project's account.
    package init?(_ name: String, in projectID: String) {
        let ending = "@\(projectID)\(Self.domain)"
        let name = name.hasSuffix(ending) ? String(name.dropLast(ending.count)) : name
        guard (1...30).contains(name.utf8.count), let first = name.utf8.first, Self.letters.contains(first), name.utf8.last != 0x2D,
            name.utf8.allSatisfy({ Self.letters.contains($0) || Self.digits.contains($0) || $0 == 0x2D })
        else { return nil }
        self.projectID = projectID
        text = name + ending
    }

    /// The account with this address; `nil` for a text of another form.
    init?(address: String) {
        guard address.hasSuffix(Self.domain), let at = address.firstIndex(of: "@") else { return nil }
        self.init(address, in: String(address[at...].dropFirst().dropLast(Self.domain.count)))
    }

    private static let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
}
