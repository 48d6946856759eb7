import Crypto
import Postgres
import ProjectSettings
import Runtime

/// The secret by which a client shows that a second factor was passed on its device.
package struct DeviceToken: KeptSecret {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }
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

    /// Whether the device may let its person in without a second factor. One round trip.
    func knows(_ token: DeviceToken, of account: Account, in project: ProjectSettings, at now: Instant) async throws(AccountError) -> Bool {
        guard project.multiFactor.rememberDevice != nil else { return false }
        let rows = try await storage.write(
            """
            UPDATE remembered_devices SET used_at = \(now)
            WHERE project_id = \(project: project) AND device_hash = \(hash(token, of: account.id, in: project)) AND account_id = \(account.id)
                AND expires_at > \(now)
            RETURNING created_at
            """)
        guard let created = try reading({ try rows.first?.value(as: Instant.self) }) else { return false }
        return account.takesProof(from: created)
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
