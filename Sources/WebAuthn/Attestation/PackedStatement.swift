import Crypto

/// The statement of the format `packed`: a signature by the new key itself, or by a key that the maker has certified.
/// <https://w3c.github.io/webauthn/#sctn-packed-attestation>
struct PackedStatement {
    private let algorithm: CredentialAlgorithm
    private let signature: [UInt8]
    /// The maker's certificate in DER; `nil` where the new key signed.
    let certificate: [UInt8]?

    init?(_ statement: [CBOR.Key: CBOR]) {
        guard let number = statement["alg"]?.integer, let algorithm = CredentialAlgorithm(rawValue: number),
            let signature = statement["sig"]?.bytes
        else { return nil }
        self.algorithm = algorithm
        self.signature = signature
        guard let chain = statement["x5c"] else {
            certificate = nil
            return
        }
        guard let leaf = chain.array?.first?.bytes, chain.array?.allSatisfy({ $0.bytes != nil }) ?? false else { return nil }
        certificate = leaf
    }

    func verifies(_ signed: [UInt8], of credential: AuthenticatorData.AttestedCredential, key: CredentialKey) -> Bool {
        guard let certificate else { return algorithm == key.algorithm && key.verify(signature, of: signed) }
        guard let leaf = try? CertificateContent(der: certificate), leaf.isAttestation(for: credential.aaguid) else { return false }
        return leaf.publicKey.verify(webAuthn: signature, of: signed, by: algorithm)
    }
}

extension CertificateContent {
    /// <https://w3c.github.io/webauthn/#sctn-packed-attestation-cert-requirements>
    fileprivate func isAttestation(for aaguid: [UInt8]) -> Bool {
        guard version == 3, subjectUnits == ["Authenticator Attestation"], !isAuthority else { return false }
        // An OCTET STRING of 16 bytes.
        return extensionValue("1.3.6.1.4.1.45724.1.1.4").map { $0 == [0x04, 0x10] + aaguid } ?? true
    }
}
