/// The authenticator's statement about a ceremony, in the bytes that it signs.
/// <https://w3c.github.io/webauthn/#sctn-authenticator-data>
struct AuthenticatorData: Sendable, Equatable {
    /// SHA-256 of the RP ID.
    let rpIDHash: [UInt8]
    let flags: Flags
    let signCount: UInt32
    /// The new credential; `nil` outside of a registration.
    let attested: AttestedCredential?

    struct Flags: OptionSet, Sendable {
        let rawValue: UInt8
        static let userPresent = Flags(rawValue: 0x01)
        static let userVerified = Flags(rawValue: 0x04)
        static let backupEligible = Flags(rawValue: 0x08)
        static let backedUp = Flags(rawValue: 0x10)
        static let attestedCredential = Flags(rawValue: 0x40)
        static let extensions = Flags(rawValue: 0x80)
    }

    /// A credential as the authenticator has made it.
    struct AttestedCredential: Sendable, Equatable {
        let aaguid: [UInt8]
        let id: [UInt8]
        /// The public key as COSE.
        let key: [UInt8]
    }

    /// Reads the bytes up to the last one; `nil` when one is missing or left over.
    init?(_ bytes: [UInt8]) {
        let fixed = 37
        guard (fixed...WebAuthn.Limits.authenticatorData).contains(bytes.count) else { return nil }
        rpIDHash = Array(bytes[..<32])
        flags = Flags(rawValue: bytes[32])
        signCount = bytes[33..<fixed].reduce(0) { $0 << 8 | UInt32($1) }
        var position = fixed
        if flags.contains(.attestedCredential) {
            guard let (credential, end) = Self.credential(in: bytes, from: position) else { return nil }
            attested = credential
            position = end
        } else {
            attested = nil
        }
        if flags.contains(.extensions) {
            var reader = CBORReader(bytes, from: position)
            guard reader.item()?.map != nil else { return nil }
            position = reader.position
        }
        guard position == bytes.count else { return nil }
    }

    private static func credential(in bytes: [UInt8], from start: Int) -> (AttestedCredential, end: Int)? {
        let idStart = start + 18
        guard bytes.count >= idStart else { return nil }
        let idEnd = idStart + Int(bytes[start + 16]) << 8 + Int(bytes[start + 17])
        guard bytes.count >= idEnd else { return nil }
        var reader = CBORReader(bytes, from: idEnd)
        guard reader.item()?.map != nil else { return nil }
        let credential = AttestedCredential(
            aaguid: Array(bytes[start..<(start + 16)]), id: Array(bytes[idStart..<idEnd]), key: Array(bytes[idEnd..<reader.position]))
        return (credential, reader.position)
    }
}
