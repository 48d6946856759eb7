import Accounts
import Crypto
import JSON
import Runtime
import Text

/// The passkeys of an account in our own record: written and read here, so that both agree.
extension PasskeyRecord {
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("credentialId", Base64URL.encode(credentialID))
            json.field("publicKey", Base64URL.encode(publicKey))
            json.field("rpId", rpID)
            json.field("name", name)
            json.field("displayName", displayName)
            json.field("signCount", decimal: signCount)
            if isBackupEligible { json.field("backupEligible", true) }
            if isBackedUp { json.field("backedUp", true) }
            if isVerified { json.field("userVerified", true) }
            if !transports.isEmpty { json.field("transports", transports.joined(separator: " ")) }
            json.field("aaguid", Hex.encode(aaguid))
            json.field("format", format)
            if isUnproven { json.field("linkedUnproven", true) }
            json.field("linkedAt", decimal: linkedAt?.milliseconds)
            json.field("lastUsedAt", decimal: lastUsedAt?.milliseconds)
            json.field("flaggedAt", decimal: flaggedAt?.milliseconds)
        }
    }

    init(_ object: JSON.Object) throws(ImportFault) {
        let members = RecordMembers(object)
        guard let id = try Self.bytes("credentialId", members), let key = try Self.bytes("publicKey", members),
            let rpID = try members.text("rpId")
        else { throw ImportFault(.invalidPasskey, "a passkey lacks one of credentialId, publicKey and rpId") }
        self.init(credentialID: id, publicKey: key, rpID: rpID)
        name = try members.text("name") ?? name
        displayName = try members.text("displayName")
        if let text = try members.text("signCount") {
            guard let number = Int64(text) else { throw RecordMembers.wrong("signCount", "a number as a text") }
            signCount = number
        }
        isBackupEligible = try members.flag("backupEligible")
        isBackedUp = try members.flag("backedUp")
        isVerified = try members.flag("userVerified")
        transports = (try members.text("transports") ?? "").split(separator: " ").map(String.init)
        if let text = try members.text("aaguid") {
            guard let bytes = Hex.decode(text) else { throw RecordMembers.wrong("aaguid", "32 hexadecimal digits") }
            aaguid = bytes
        }
        format = try members.text("format") ?? format
        isUnproven = try members.flag("linkedUnproven")
        linkedAt = try members.milliseconds("linkedAt")
        lastUsedAt = try members.milliseconds("lastUsedAt")
        flaggedAt = try members.milliseconds("flaggedAt")
        if let fault { throw ImportFault(.invalidPasskey, "a passkey \(fault)") }
    }

    static func bytes(_ name: UTF8Text, _ members: RecordMembers) throws(ImportFault) -> [UInt8]? {
        guard let text = try members.text(name) else { return nil }
        guard let bytes = Base64.decode(text) else { throw RecordMembers.wrong(name, "base64url") }
        return bytes
    }
}
