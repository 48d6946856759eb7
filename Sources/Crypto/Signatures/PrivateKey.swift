import Runtime

/// A key that signs. It is parsed once, then shared by all threads, and never printed.
package final class PrivateKey: Sendable {
    package let publicKey: PublicKey
    private let handle: KeyHandle
    private let contexts: KeyContexts

    private init(handle: KeyHandle) throws(CryptoError) {
        self.handle = handle
        publicKey = try PublicKey(handle.components)
        contexts = KeyContexts(key: handle, use: .sign)
    }

    /// RSA takes a tenth of a second or more at 2048 bits, and several times that at 4096, so this must not run on a loop.
    package static func generate(_ algorithm: KeyAlgorithm) throws(CryptoError) -> PrivateKey {
        try PrivateKey(handle: KeyHandle.generate(algorithm))
    }

    /// Reads PKCS #8 with nothing after it: RSA of 2048 bits and more, P-256, Ed25519.
    package convenience init(der: [UInt8]) throws(CryptoError) { try self.init(handle: KeyHandle.read(pkcs8: der)) }

    /// Reads such a key as PEM text, in the form in which providers and OpenSSL give it out.
    package convenience init(pem: String) throws(CryptoError) {
        guard let der = PEM.decode(pem, label: "PRIVATE KEY") else { throw .malformedKey("not a PKCS #8 private key as PEM") }
        try self.init(der: der)
    }

    /// PKCS #8 without encryption: seal it before it is stored.
    package var der: [UInt8] { handle.pkcs8() }

    /// The same as PEM text, for a file that only its owner gets.
    package var pem: String { PEM.encode(der, label: "PRIVATE KEY") }

    /// The signature in the form of JSON Web Signatures. Throws ``CryptoError/unsupported(_:)`` when key and scheme do not fit.
    package func sign(_ bytes: [UInt8], _ scheme: SignatureScheme) throws(CryptoError) -> [UInt8] {
        guard publicKey.components.fits(scheme) else { throw .unsupported("\(scheme) with this kind of key") }
        guard let digest = scheme.digest else { return try MessageContext().sign(bytes, with: handle) }
        let signature = try contexts.sign(bytes, scheme, with: digest)
        guard scheme == .es256 else { return signature }
        guard let raw = ECDSASignature.raw(der: signature) else { throw .library(call: "EVP_PKEY_sign", reason: "not a signature") }
        return raw
    }

    func withHandle<Result, Failure: Error>(_ body: (KeyHandle) throws(Failure) -> Result) throws(Failure) -> Result { try body(handle) }
}

extension PrivateKey: Concealed {
    package var description: String { "<private key>" }
}
