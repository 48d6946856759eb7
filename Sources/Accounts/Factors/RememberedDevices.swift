import Crypto
import Postgres
package import ProjectSettings
import Runtime

/// The secret by which a client shows that a second factor was passed on its device.
package struct DeviceToken: KeptSecret {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// The name of the cookie of an account's device, since several people share a browser. It tells nothing of the account.
    package static func cookieID(of accountID: String, in project: ProjectSettings) -> String {
        Base64URL.encode(Array(Digest.sha256(Array("\(project.storageID)\0\(accountID)".utf8)).prefix(9)))
    }
}

/// Devices on which no second factor is asked for a while, where the project allows it (`mfa.rememberDevice`).
///
/// A device is remembered for one account. It is forgotten when sessions of the account are ended, by whatever change, and when its second factors
/// change. The sessions that it lets through have no second factor for back ends, and change nothing that needs one.
struct RememberedDevices: Sendable {
    let storage: Storage
    let key: [UInt8]

    /// Remembers a device that shows `token`.
    func insertion(of token: DeviceToken, for account: Account, in project: ProjectSettings, at now: Instant) -> SQL? {
        guard let time = project.multiFactor.rememberDevice else { return nil }
        return """
            INSERT INTO remembered_devices (project_id, account_id, device_hash, created_at, used_at, expires_at)
            VALUES (\(project: project), \(account.id), \(hash(token, of: account.id, in: project)), \(now), \(now), \(now + time))
            """
    }

    /// Whether one of the devices may let its person in without a second factor. One round trip.
    func know(_ tokens: [DeviceToken], of account: Account, in project: ProjectSettings, at now: Instant) async throws(AccountError) -> Bool
    {
        guard project.multiFactor.rememberDevice != nil, !tokens.isEmpty else { return false }
        let hashes = tokens.map { Hex.encode(hash($0, of: account.id, in: project)) }
        let rows = try await storage.write(
            """
            UPDATE remembered_devices SET used_at = \(now)
            WHERE project_id = \(project: project) AND account_id = \(account.id) AND expires_at > \(now)
                AND device_hash IN (SELECT decode(digits, 'hex') FROM unnest(\(hashes)) AS digits)
            RETURNING created_at
            """)
        return try reading { try rows.contains { row throws(PostgresError) in account.takesProof(from: try row.value(as: Instant.self)) } }
    }

    /// The account is part of it, so that a row that is moved to another account lets no one in.
    private func hash(_ token: DeviceToken, of accountID: String, in project: ProjectSettings) -> [UInt8] {
        Digest.hmacSHA256(key: key, Array("\(project.storageID)\0\(accountID)\0".utf8) + token.bytes)
    }
}

extension Account {
    /// Forgets the devices on which a second factor was passed, since the second factors change.
    func forgetDevices(in project: ProjectSettings) -> SQL {
        "DELETE FROM remembered_devices WHERE project_id = \(project: project) AND account_id = \(id)"
    }
}
