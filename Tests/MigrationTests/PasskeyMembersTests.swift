import Accounts
import Crypto
import JSON
import Runtime
import TestKit
import Testing
import Text

@testable import Migration

/// Passkeys in our own record.
@Suite struct PasskeyMembersTests {
    private func passkey() throws -> PasskeyRecord {
        var passkey = PasskeyRecord(credentialID: Array(1...16), publicKey: try SoftAuthenticator().publicKey, rpID: "example.com")
        passkey.signCount = 7
        (passkey.isBackupEligible, passkey.isBackedUp, passkey.isVerified, passkey.isUnproven) = (true, true, true, true)
        (passkey.transports, passkey.aaguid, passkey.format) = (["hybrid", "internal"], Array(0..<16), "packed")
        (passkey.name, passkey.displayName) = ("laptop", "Mine")
        passkey.linkedAt = Instant(seconds: 1_700_000_001)
        passkey.lastUsedAt = Instant(seconds: 1_700_000_002)
        passkey.flaggedAt = Instant(seconds: 1_700_000_003)
        return passkey
    }

    private func object(_ passkey: PasskeyRecord) throws -> JSON.Object {
        var json = JSONWriter()
        passkey.write(to: &json)
        return try #require(try JSON.parse(json.bytes).object)
    }

    @Test func `comes back as it was written`() throws {
        let passkey = try passkey()
        #expect(try PasskeyRecord(object(passkey)) == passkey)
        let bare = PasskeyRecord(credentialID: Array(1...16), publicKey: passkey.publicKey, rpID: "example.com")
        #expect(try PasskeyRecord(object(bare)) == bare)
    }

    @Test(
        arguments: [
            ("credentialId", nil, .invalidPasskey), ("publicKey", nil, .invalidPasskey), ("rpId", nil, .invalidPasskey),
            ("credentialId", "AAAA", .invalidPasskey), ("publicKey", "AAAA", .invalidPasskey), ("aaguid", "00", .invalidPasskey),
            ("signCount", "-1", .invalidPasskey), ("signCount", "x", .malformed), ("backupEligible", nil, .invalidPasskey),
            ("credentialId", "§", .malformed), ("aaguid", "x", .malformed), ("backedUp", "perhaps", .malformed),
        ] as [(UTF8Text, JSON?, ImportFault.Code)])
    func `is refused with a member that cannot be one`(name: UTF8Text, value: JSON?, code: ImportFault.Code) throws {
        var object = try object(passkey())
        object[name] = value
        do {
            _ = try PasskeyRecord(object)
            Issue.record("was taken")
        } catch { #expect(error.code == code) }
    }

    @Test func `comes along only with a user handle, and for the project's own site`() throws {
        var source = SourceAccount(id: "ada", place: 1)
        source.passkeys = [try passkey()]
        var (rules, losses) = (ImportRules(now: Instant(seconds: 1_800_000_000)), SourceLosses())
        rules.rpID = "example.com"
        let refused = try? rules.account(source, &losses)
        #expect(refused == nil)
        source.userHandle = Array(repeating: 1, count: 24)
        let imported = try rules.account(source, &losses)
        #expect(imported.passkeys == source.passkeys && imported.account.userHandle == source.userHandle)
        #expect(imported.account.passkeys.map(\.name) == ["laptop"] && !imported.account.customAuth)
        rules.rpID = "example.org"
        let without = try rules.account(source, &losses)
        #expect(without.passkeys.isEmpty && without.account.userHandle == nil && without.account.customAuth)
    }
}
