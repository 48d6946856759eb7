package import Crypto
package import JSON
package import Text

/// A public key as its issuer publishes it. <https://www.rfc-editor.org/rfc/rfc7517>
///
/// A key is refused when it cannot verify a signature that we accept: `use` other than `sig`, `key_ops` without `verify`, unsupported
/// algorithms and curves, secrets (`oct`), private keys (a published private key proves nothing), and keys that are too weak.
package struct JWK: Sendable {
    package let key: PublicKey
    package let kid: UTF8Text?
    /// The only algorithm that the key is for; without it, any that fits the kind of key.
    package let algorithm: Algorithm?
    package let use: UTF8Text?
    /// Microsoft's addition: the issuer whose tokens this key may sign, with `{tenantid}` for all tenants.
    package let issuer: UTF8Text?

    /// Makes one of our own keys, to publish it.
    package init(key: PublicKey, kid: UTF8Text?, algorithm: Algorithm?, use: UTF8Text? = "sig") {
        self.key = key
        self.kid = kid
        self.algorithm = algorithm
        self.use = use
        issuer = nil
    }

    package init(_ json: JSON) throws(JOSEError) {
        guard json.object != nil else { throw .malformed("a key is an object") }
        guard json["d"] == nil, json["k"] == nil else { throw .unsupportedKey("secret keys") }
        use = try json.text("use")
        guard use == nil || use == "sig" else { throw .unsupportedKey("keys for another use than signatures") }
        if let operations = json["key_ops"] {
            guard let operations = operations.array else { throw .malformed("key_ops is not a list") }
            guard operations.contains("verify") else { throw .unsupportedKey("keys for another operation than verifying") }
        }
        let name = try json.text("alg")
        algorithm = name.flatMap(Algorithm.init(exactly:))
        guard name == nil || algorithm != nil else { throw .unsupportedAlgorithm }
        kid = try json.text("kid")
        issuer = try json.text("issuer")
        key = try json.publicKey()
        if let algorithm, !key.components.fits(algorithm.scheme) { throw .unsupportedAlgorithm }
    }

    package var kty: String {
        switch key.components {
        case .rsa: "RSA"
        case .p256: "EC"
        case .ed25519: "OKP"
        }
    }

    package var alg: String? { algorithm?.rawValue }

    func accepts(_ other: Algorithm) -> Bool { algorithm.map { $0 == other } ?? key.components.fits(other.scheme) }

    /// The key as it is published.
    package var json: JSON {
        var object: JSON.Object = ["kty": .string(kty)]
        object["use"] = use.map { .string($0) }
        object["alg"] = alg.map { .string($0) }
        object["kid"] = kid.map { .string($0) }
        object["issuer"] = issuer.map { .string($0) }
        let numbers: [(UTF8Text, [UInt8])]
        switch key.components {
        case .rsa(let modulus, let exponent):
            numbers = [("n", modulus), ("e", exponent)]
        case .p256(let x, let y):
            object["crv"] = "P-256"
            numbers = [("x", x), ("y", y)]
        case .ed25519(let bytes):
            object["crv"] = "Ed25519"
            numbers = [("x", bytes)]
        }
        for (name, number) in numbers { object[name] = .string(Base64URL.encode(number)) }
        return .object(object)
    }
}

extension JSON {
    /// A member that must be a text when it is present.
    fileprivate func text(_ name: UTF8Text) throws(JOSEError) -> UTF8Text? {
        guard let value = self[name] else { return nil }
        guard let text = value.string else { throw .malformed("\(name) is not a text") }
        return text
    }

    fileprivate func publicKey() throws(JOSEError) -> PublicKey {
        switch (try text("kty"), try text("crv")) {
        case ("RSA", _):
            let (n, e) = (try bytes("n"), try bytes("e"))
            return try judged { () throws(CryptoError) in try PublicKey(rsaModulus: n, exponent: e) }
        case ("EC", "P-256"):
            let (x, y) = (try bytes("x"), try bytes("y"))
            return try judged { () throws(CryptoError) in try PublicKey(p256X: x, y: y) }
        case ("OKP", "Ed25519"):
            let x = try bytes("x")
            return try judged { () throws(CryptoError) in try PublicKey(ed25519: x) }
        case (nil, _):
            throw .malformed("a key has a kty")
        default:
            throw .unsupportedKey("keys other than RSA, P-256 and Ed25519")
        }
    }

    private func judged(_ make: () throws(CryptoError) -> PublicKey) throws(JOSEError) -> PublicKey {
        do {
            return try make()
        } catch .weakKey(let reason) {
            throw .weakKey(reason)
        } catch .malformedKey(let reason) {
            throw .malformed(reason)
        } catch {
            throw .malformed("the numbers do not make a key")
        }
    }

    private func bytes(_ name: UTF8Text) throws(JOSEError) -> [UInt8] {
        guard let text = try text(name), let bytes = Base64URL.decodeStrict(text.asString) else {
            throw .malformed("\(name) is not base64url")
        }
        return bytes
    }
}
