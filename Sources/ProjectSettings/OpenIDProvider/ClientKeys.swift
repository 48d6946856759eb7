import Config
import JOSE
import JSON
import Text

extension JWKSet {
    /// The public keys of a client, from the file that `key` names: a JWK set. A key that could not verify an assertion is a fault, since
    /// the operator wrote it down to be used.
    static func ofClient(_ key: String, _ section: Section) -> JWKSet? {
        guard let (file, text) = section.text(ofFile: key) else { return nil }
        guard let json = try? JSON.parse(text), json["keys"]?.array != nil else {
            section.fault(key, "the file \(file) is not a JWK set: {\"keys\": [...]} (RFC 7517 §5)")
            return nil
        }
        let set = JWKSet(json)
        if let reason = set.skipped.first {
            section.fault(
                key,
                "the file \(file) has a key that is not taken (\(words(reason))); it may have public keys for RSA from 2048 bits on, and for P-256"
            )
        } else if set.keys.isEmpty {
            section.fault(key, "the file \(file) has no key")
        }
        if !set.keys.allSatisfy(isForAssertions) {
            section.fault(key, "the file \(file) has a key for neither RS256 nor ES256; make one of these")
        }
        if set.keys.count > 1, set.keys.contains(where: { $0.kid == nil }) {
            section.fault(key, "the file \(file) has several keys, of which one has no kid; give each its own, which assertions name")
        }
        return set
    }

    private static func isForAssertions(_ jwk: JWK) -> Bool {
        switch jwk.kty {
        case "RSA": jwk.algorithm == nil || jwk.algorithm == .rs256
        case "EC": true
        default: false
        }
    }

    private static func words(_ error: JOSEError) -> String {
        switch error {
        case .malformed(let reason), .unsupportedKey(let reason), .weakKey(let reason): reason
        default: "\(error)"
        }
    }
}
