import Crypto
import Glibc
package import JSON
package import Text

/// A compact JSON Web Signature, split into its parts and not verified yet. <https://www.rfc-editor.org/rfc/rfc7515#section-7.1>
///
/// Stricter than the standard: `crit` is always refused. Of the header only `alg` and `kid` are read, so keys and addresses of keys inside
/// a token (`jwk`, `jku`, `x5u`, `x5c`) have no effect. The JSON serialization is not supported.
package struct JWS: Sendable {
    package let header: JSON
    package let algorithm: Algorithm
    /// Used to find a key in a set; it proves nothing.
    package let kid: UTF8Text?
    package let payload: [UInt8]
    let signature: [UInt8]
    /// Header and payload as they were sent, which are the bytes that were signed.
    package let signedBytes: [UInt8]

    /// Longer tokens are refused before any byte is read.
    package static let maxBytes = 16_384

    package static func parse(_ token: String, maxBytes: Int = maxBytes) throws(JOSEError) -> JWS {
        guard token.utf8.count <= maxBytes else { throw .tooLarge }
        let bytes = Array(token.utf8)
        guard let first = dot(in: bytes, from: 0), let second = dot(in: bytes, from: first + 1), dot(in: bytes, from: second + 1) == nil
        else { throw .malformed("not three parts") }
        let part = { (range: Range<Int>) in
            bytes.withUnsafeBufferPointer { Base64URL.decodeStrict(UnsafeBufferPointer(rebasing: $0[range])) }
        }
        guard let headerBytes = part(0..<first) else { throw .malformed("header is not base64url") }
        guard let payload = part(first + 1..<second) else { throw .malformed("payload is not base64url") }
        guard let signature = part(second + 1..<bytes.count) else { throw .malformed("signature is not base64url") }
        let header: JSON
        do { header = try JSON.parse(headerBytes) } catch { throw .malformed("header: \(error)") }
        guard header.object != nil else { throw .malformed("header is not an object") }
        guard header["crit"] == nil else { throw .criticalHeader }
        guard let name = header["alg"]?.string else { throw .malformed("header has no alg") }
        guard let algorithm = Algorithm(exactly: name) else { throw .unsupportedAlgorithm }
        guard header["kid"] == nil || header["kid"]?.string != nil else { throw .malformed("kid is not a text") }
        return JWS(
            header: header, algorithm: algorithm, kid: header["kid"]?.string, payload: payload, signature: signature,
            signedBytes: Array(bytes[..<second]))
    }

    private static func dot(in bytes: [UInt8], from start: Int) -> Int? {
        bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let found = memchr(base + start, 0x2E, bytes.count - start) else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    /// The key of `keys` that made this signature with one of `algorithms`; throws when no key did.
    ///
    /// ``JOSEError/unknownKey`` means that fetching the issuer's keys again may help; the other errors mean that it cannot.
    package func verified(with keys: JWKSet, algorithms: Set<Algorithm>) throws(JOSEError) -> JWK {
        guard algorithms.contains(algorithm) else { throw .unsupportedAlgorithm }
        let candidates = try keys.candidates(for: self)
        guard let key = candidates.first(where: { $0.key.verify(signature, of: signedBytes, algorithm.scheme) }) else {
            throw .badSignature
        }
        return key
    }
}
