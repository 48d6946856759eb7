import Crypto
import Postgres
import ProjectSettings
package import Runtime
import WebAuthn

/// A passkey with everything that is stored of it, for an export and an import.
package struct PasskeyRecord: Sendable, Equatable {
    package var credentialID: [UInt8]
    /// COSE.
    package var publicKey: [UInt8]
    /// The site that it is for.
    package var rpID: String
    package var signCount: Int64 = 0
    package var isBackupEligible = false
    package var isBackedUp = false
    package var isVerified = false
    package var transports: [String] = []
    package var aaguid = [UInt8](repeating: 0, count: 16)
    /// The form of the attestation.
    package var format = "none"
    package var name = Passkey.defaultName
    package var displayName: String?
    package var isUnproven = false
    /// `nil` for the time when the account was made.
    package var linkedAt: Instant?
    package var lastUsedAt: Instant?
    package var flaggedAt: Instant?

    package init(credentialID: [UInt8], publicKey: [UInt8], rpID: String) {
        self.credentialID = credentialID
        self.publicKey = publicKey
        self.rpID = rpID
    }

    /// The length of an account's user handle.
    package static let handleCount = 24

    /// The reason why it cannot be stored, as words behind "the passkey"; `nil` where it can.
    package var fault: String? {
        guard (16...1023).contains(credentialID.count) else { return "has an id that does not have 16 to 1023 bytes" }
        guard (try? CredentialKey(cose: publicKey)) != nil else { return "has a public key that is not one of ES256, EdDSA or RS256" }
        guard (0...Int64(UInt32.max)).contains(signCount) else { return "has a count that no authenticator has" }
        guard aaguid.count == 16 else { return "has an aaguid that does not have 16 bytes" }
        guard !isBackedUp || isBackupEligible else { return "is backed up, and cannot be" }
        return nil
    }
}

extension PasskeyRecord {
    private static let width = 15

    /// Lists of texts, one for each passkey, in the order of their ids.
    static func columns(in project: ProjectSettings) -> SQL {
        """
        CASE WHEN a.user_handle IS NOT NULL THEN ARRAY(SELECT ARRAY[encode(p.credential_id, 'hex'), encode(p.public_key, 'hex'), p.rp_id,
            p.sign_count::text, CASE WHEN p.backup_eligible THEN '' END, CASE WHEN p.backup_state THEN '' END,
            CASE WHEN p.uv_initialized THEN '' END, array_to_string(p.transports, ' '), encode(p.aaguid, 'hex'), p.format, p.name,
            p.display_name, CASE WHEN p.linked_unproven THEN '' END,
            concat_ws(' ', (extract(epoch FROM p.linked_at) * 1000000)::bigint,
                coalesce((extract(epoch FROM p.last_used_at) * 1000000)::bigint::text, '-')),
            (extract(epoch FROM p.flagged_at) * 1000000)::bigint::text]
        FROM passkeys p WHERE p.project_id = \(project: project) AND p.account_id = a.account_id ORDER BY p.credential_id) END
        """
    }

    static func all(in texts: [String?]) throws -> [PasskeyRecord] {
        var records: [PasskeyRecord] = []
        var rest = texts[...]
        while !rest.isEmpty {
            let list = Array(rest.prefix(width))
            guard list.count == width, let id = list[0].flatMap(Hex.decode), let key = list[1].flatMap(Hex.decode), let rpID = list[2],
                let aaguid = list[8].flatMap(Hex.decode), let format = list[9], let name = list[10]
            else { throw PostgresError.decoding("a list of texts is not a passkey") }
            var record = PasskeyRecord(credentialID: id, publicKey: key, rpID: rpID)
            record.signCount = list[3].flatMap { Int64($0) } ?? 0
            (record.isBackupEligible, record.isBackedUp, record.isVerified) = (list[4] != nil, list[5] != nil, list[6] != nil)
            record.transports = (list[7] ?? "").split(separator: " ").map(String.init)
            (record.aaguid, record.format, record.name, record.displayName) = (aaguid, format, name, list[11])
            record.isUnproven = list[12] != nil
            let times = (list[13] ?? "").split(separator: " ").map { Int64($0).map { Instant(microseconds: $0) } }
            (record.linkedAt, record.lastUsedAt) = (times.first ?? nil, times.count > 1 ? times[1] : nil)
            record.flaggedAt = list[14].flatMap { Int64($0) }.map { Instant(microseconds: $0) }
            records.append(record)
            rest = rest.dropFirst(width)
        }
        return records
    }
}

extension Account {
    /// Stores an imported passkey. Violates the table's key when an account of the project has one with this id.
    func insert(_ record: PasskeyRecord, in project: ProjectSettings) throws(CeremonyError) -> SQL {
        let algorithm = try CredentialKey(cose: record.publicKey).algorithm
        return """
            INSERT INTO passkeys (project_id, credential_id, account_id, public_key, algorithm, sign_count, rp_id, backup_eligible,
                backup_state, uv_initialized, transports, aaguid, format, name, display_name, linked_unproven, flagged_at, linked_at, last_used_at)
            VALUES (\(project: project), \(record.credentialID), \(id), \(record.publicKey), \(algorithm.rawValue), \(record.signCount),
                \(record.rpID), \(record.isBackupEligible), \(record.isBackedUp), \(record.isVerified), \(record.transports), \(record.aaguid),
                \(record.format), \(record.name), \(record.displayName), \(record.isUnproven), \(record.flaggedAt),
                \(record.linkedAt ?? createdAt), \(record.lastUsedAt))
            """
    }
}
