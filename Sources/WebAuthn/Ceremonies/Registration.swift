package import JSON
import Text

/// A browser's answer to `CreationOptions`. <https://w3c.github.io/webauthn/#dictdef-registrationresponsejson>
package struct RegistrationResponse: Sendable {
    package let credentialID: [UInt8]
    let clientData: [UInt8]
    let attestationObject: [UInt8]
    /// How the browser reaches the authenticator: words of the browser's, of which those that we know are kept.
    let transports: [String]

    /// The transports that have a meaning. <https://w3c.github.io/webauthn/#enum-transport>
    private static let knownTransports = ["usb", "nfc", "ble", "smart-card", "hybrid", "internal"]

    /// Throws `missingResponse` and `shape`.
    package init(_ json: JSON?) throws(CeremonyError) {
        let (id, members) = try ResponseMembers.read(json)
        credentialID = id
        clientData = try members.bytes("clientDataJSON")
        attestationObject = try members.bytes("attestationObject")
        let named = members.texts("transports")
        transports = Self.knownTransports.filter { known in named.contains { $0 == known } }
    }
}

/// A credential that was registered, with everything that later ceremonies need.
package struct NewCredential: Sendable {
    package let id: [UInt8]
    package let key: CredentialKey
    package let signCount: UInt32
    /// Whether the authenticator may copy it to other devices, and whether it has done so.
    package let isBackupEligible: Bool
    package let isBackedUp: Bool
    package let userVerified: Bool
    /// The model of the authenticator, 16 bytes; zeros where it does not say.
    package let aaguid: [UInt8]
    /// The attestation's format.
    package let format: String
    package let attestation: Attestation
    package let transports: [String]
    /// The challenge, which must be noted as spent; `nil` when the rules named the bytes.
    package let challenge: Challenge?
}

extension RegistrationResponse {
    /// Runs the registration ceremony on this response. <https://w3c.github.io/webauthn/#sctn-registering-a-new-credential>
    ///
    /// Whether the id is new is for the caller to find out.
    package func verified(by rules: CeremonyRules) throws(CeremonyError) -> NewCredential {
        let client = try ClientData(clientData)
        let challenge = try rules.check(client, isOf: "webauthn.create")
        try rules.checkOrigin(of: client)
        let object = try AttestationObject(attestationObject)
        guard let data = AuthenticatorData(object.authenticatorData) else { throw .refused(.authenticatorData) }
        try rules.check(data, needsPresence: challenge?.kind != .conditionalRegistration)
        guard let attested = data.attested else { throw .refused(.attestedData) }
        let key = try CredentialKey(cose: attested.key)
        guard WebAuthn.Limits.credentialID.contains(attested.id.count), attested.id == credentialID else { throw .refused(.credentialID) }
        let attestation = try object.attestation(of: attested, key: key, clientDataHash: client.hash)
        return NewCredential(
            id: attested.id, key: key, signCount: data.signCount, isBackupEligible: data.flags.contains(.backupEligible),
            isBackedUp: data.flags.contains(.backedUp), userVerified: data.flags.contains(.userVerified), aaguid: attested.aaguid,
            format: object.format.asString, attestation: attestation, transports: transports, challenge: challenge)
    }
}
