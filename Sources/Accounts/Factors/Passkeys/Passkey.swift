import Crypto
import Postgres
import ProjectSettings
package import Runtime
import WebAuthn

/// A passkey of an account, with everything but its key.
package struct Passkey: Sendable, Equatable {
    /// The authenticator's own name for it.
    package let credentialID: [UInt8]
    package var name: String
    package var displayName: String?
    /// Whether it may be on several devices, and whether it is.
    package let isBackupEligible: Bool
    package let isBackedUp: Bool
    /// The model of the authenticator, 16 bytes; zeros where it did not say.
    package let aaguid: [UInt8]
    package let transports: [String]
    package let linkedAt: Instant
    package let lastUsedAt: Instant?
    /// When a copy of the authenticator was suspected first.
    package let flaggedAt: Instant?
}

extension Passkey {
    /// Its id as text, as browsers write it.
    package var id: String { Base64URL.encode(credentialID) }

    /// The name of a passkey for which nobody gave one.
    package static let defaultName = "Unnamed Passkey"
    /// The longest name that is kept, in bytes.
    package static let longestName = 256

    /// A passkey's `second_factor_identifier` in ID tokens: 28 characters, as those of other factors have, where the id itself may have a
    /// thousand bytes.
    static func factorID(of credentialID: [UInt8]) -> String { Base64URL.encode(Array(Digest.sha256(credentialID).prefix(21))) }

    var factorID: String { Self.factorID(of: credentialID) }

    /// The same as an expression of SQL for the column that has the passkey's id.
    static func factorIDText(of column: SQL) -> SQL {
        "rtrim(translate(encode(substr(sha256(\(column)), 1, 21), 'base64'), '+/', '-_'), '=')"
    }

    /// The columns to select from `passkeys p`.
    static let columns: SQL = """
        p.credential_id, p.name, p.display_name, p.backup_eligible, p.backup_state, p.aaguid, p.transports, p.linked_at, p.last_used_at, \
        p.flagged_at
        """

    init(_ row: inout RowReader) throws(PostgresError) {
        credentialID = try row.next()
        name = try row.next()
        displayName = try row.next()
        isBackupEligible = try row.next()
        isBackedUp = try row.next()
        aaguid = try row.next()
        transports = try row.next(as: [String?].self).compactMap { $0 }
        linkedAt = try row.next()
        lastUsedAt = try row.next()
        flaggedAt = try row.next()
    }

    /// The passkeys of an account, the oldest first.
    static func select(of accountID: String, in project: ProjectSettings) -> SQL {
        """
        SELECT \(columns) FROM passkeys p WHERE p.project_id = \(project: project) AND p.account_id = \(accountID)
        ORDER BY p.linked_at, p.credential_id
        """
    }
}

/// A passkey as its account knows it: enough to name it, and to know that there is one.
package struct AccountPasskey: Sendable, Equatable {
    package let credentialID: [UInt8]
    package var name: String
    package var displayName: String?

    package init(credentialID: [UInt8], name: String, displayName: String? = nil) {
        self.credentialID = credentialID
        self.name = name
        self.displayName = displayName
    }
}

extension AccountPasskey {
    /// Its id as text, as browsers write it.
    package var id: String { Base64URL.encode(credentialID) }

    /// The value to select from `passkeys p` to read one: a list of texts.
    static let column: SQL = "ARRAY[encode(p.credential_id, 'hex'), p.name, p.display_name]"
    private static let width = 3

    /// Reads passkeys from their lists, which follow one another; none from a value that is absent.
    static func all(in texts: [String?]) throws(PostgresError) -> [AccountPasskey] {
        var passkeys: [AccountPasskey] = []
        var rest = texts[...]
        while !rest.isEmpty {
            let (list, start) = (rest.prefix(width), rest.startIndex)
            guard list.count == width, let id = list[start].flatMap(Hex.decode), let name = list[start + 1] else {
                throw .decoding("a list of texts is not a passkey")
            }
            passkeys.append(AccountPasskey(credentialID: id, name: name, displayName: list[start + 2]))
            rest = rest.dropFirst(width)
        }
        return passkeys
    }
}

extension Account {
    /// The name and the display name that authenticators show for its passkeys. Both calls and pages must give the same.
    package var passkeyUser: (name: String, displayName: String) {
        let name = email ?? phoneNumber ?? "User"
        return (name, displayName ?? name)
    }
}
