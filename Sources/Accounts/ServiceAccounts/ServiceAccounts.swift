import Crypto
import JOSE
import JSON
package import Postgres
import ProjectSettings
package import Runtime
import Text

/// The service accounts of all projects: who may sign custom tokens, and until when.
///
/// A key is made here and leaves in its file (`KeyFile`); the database stores the public half. Every use reads the keys again, so a
/// revoked key is refused from that moment on. `CustomToken` has the rules for what the keys may sign.
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
        package let createdAt: Instant
        package let revokedAt: Instant?
    }

    /// A new key, for a new or an existing account. This takes a tenth of a second or more, so it must not run on a loop that serves
    /// requests.
    ///
    /// Throws `ServiceAccountError.tooManyKeys`, `CryptoError`, `AccountError`.
    /// - Parameter publicURL: the server's own address, which the file names.
    package func createKey(for email: ServiceAccountEmail, publicURL: String) async throws -> KeyFile {
        let key = try PrivateKey.generate(.rsa())
        let keyID = Hex.encode(Random.bytes(20))
        let jwk = JWK(key: key.publicKey, kid: UTF8Text(keyID), algorithm: .rs256)
        let project = email.projectID
        let now = clock.now()
        let results: [[Row]]
        do {
            results = try await storage.write(all: [
                """
                INSERT INTO service_accounts (project_id, email, client_id, created_at)
                VALUES (\(project), \(email.text), \(KeyFile.randomClientID()), \(now)) ON CONFLICT DO NOTHING
                """,
                .required(
                    """
                    INSERT INTO service_account_keys (project_id, email, key_id, public_key, created_at)
                    SELECT \(project), \(email.text), \(keyID), \(jwk.json.text()), \(now)
                    WHERE (SELECT count(*) FROM service_account_keys
                        WHERE project_id = \(project) AND email = \(email.text) AND revoked_at IS NULL) < \(Self.mostKeys)
                    RETURNING key_id
                    """),
                "SELECT client_id FROM service_accounts WHERE project_id = \(project) AND email = \(email.text)",
            ])
        } catch AccountError.overtaken {
            throw ServiceAccountError.tooManyKeys
        }
        guard let clientID: String = try results.last?.first?.value() else { throw AccountError.database(.decoding("client_id")) }
        return KeyFile(email: email, clientID: clientID, keyID: keyID, key: key, publicURL: publicURL)
    }

    /// Every key that the project ever had, by account and age.
    package func list(_ project: String) async throws -> [Entry] {
        let rows = try await storage.read(
            """
            SELECT email, key_id, created_at, revoked_at FROM service_account_keys
            WHERE project_id = \(project) ORDER BY email, created_at, key_id
            """)
        return try rows.map { row in
            var row = row.reader()
            return Entry(email: try row.next(), keyID: try row.next(), createdAt: try row.next(), revokedAt: try row.next())
        }
    }

    /// Ends one key, or all keys of an account. Returns the ids of those that were live.
    package func revoke(_ scope: Scope, in project: String) async throws -> [String] {
        let (email, keyID): (String?, String?) =
            switch scope {
            case .account(let email): (email.text, nil)
            case .key(let id): (nil, id)
            }
        let rows = try await storage.write(
            """
            UPDATE service_account_keys SET revoked_at = \(clock.now())
            WHERE project_id = \(project) AND (email = \(email) OR key_id = \(keyID)) AND revoked_at IS NULL RETURNING key_id
            """)
        return try rows.map { row in try row.value() }
    }

    package enum Scope: Sendable {
        case account(ServiceAccountEmail)
        case key(id: String)
    }
}

package enum ServiceAccountError: Error {
    /// The account has `ServiceAccounts.mostKeys` live keys; one must be revoked first.
    case tooManyKeys
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

    private static let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
}
