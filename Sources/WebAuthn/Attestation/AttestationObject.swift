import Text

/// The authenticator's answer to a registration: its data, and a statement about the authenticator itself.
/// <https://w3c.github.io/webauthn/#sctn-attestation>
struct AttestationObject: Sendable, Equatable {
    let format: UTF8Text
    let statement: [CBOR.Key: CBOR]
    let authenticatorData: [UInt8]

    init(_ bytes: [UInt8]) throws(CeremonyError) {
        guard bytes.count <= WebAuthn.Limits.attestationObject, let members = CBOR.parse(bytes)?.map,
            let format = members["fmt"]?.text, let statement = members["attStmt"]?.map, let data = members["authData"]?.bytes
        else { throw .refused(.attestation) }
        self.format = format
        self.statement = statement
        authenticatorData = data
    }
}

/// How far the statement about an authenticator was read. Any authenticator is taken, however far that is.
package enum Attestation: Sendable, Equatable {
    /// The authenticator made no statement, or one that only its own new key signs.
    case selfMade
    /// A key of the authenticator's maker has signed it; whose, we do not ask.
    case signed
    /// The format is one whose statements we do not read.
    case unread
}

extension AttestationObject {
    /// The longest name of a format that is kept.
    private static let longestFormat = 32

    /// Checks the statement. Throws `attestation`.
    func attestation(of credential: AuthenticatorData.AttestedCredential, key: CredentialKey, clientDataHash: [UInt8]) throws(CeremonyError)
        -> Attestation
    {
        guard format.utf8.count <= Self.longestFormat else { throw .refused(.attestation) }
        switch format {
        case "none":
            guard statement.isEmpty else { throw .refused(.attestation) }
            return .selfMade
        case "packed":
            let signed = authenticatorData + clientDataHash
            guard let packed = PackedStatement(statement), packed.verifies(signed, of: credential, key: key) else {
                throw .refused(.attestation)
            }
            return packed.certificate == nil ? .selfMade : .signed
        default: return .unread
        }
    }
}
