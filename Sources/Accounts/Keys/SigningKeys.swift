import Crypto
package import JOSE
import JSON
package import Runtime
import Synchronization
import Text

/// The keys that sign ID tokens and session cookies, shared by all loops of the process: they are read and copied, without waiting.
///
/// `SigningKeyStore` fills it from the database at start and then every minute.
package final class SigningKeys: Sendable {
    private let ofIDTokens = Mutex(Published(keys: []))
    private let ofSessionCookies = Mutex(Published(keys: []))

    package init() {}

    /// The public part of the keys of ID tokens, in the forms in which clients ask for it.
    package var published: Published { ofIDTokens.withLock { $0 } }

    /// The same for the keys of session cookies.
    package var publishedForSessionCookies: Published { ofSessionCookies.withLock { $0 } }

    func replace(_ keys: [SigningKey], for purpose: SigningKeyPurpose) throws {
        let fresh = try Published(signing: keys)
        switch purpose {
        case .idToken: ofIDTokens.withLock { $0 = fresh }
        case .sessionCookie: ofSessionCookies.withLock { $0 = fresh }
        }
    }

    /// The signer at `now`: the newest key whose time has come.
    func signer(
        for algorithm: Algorithm, _ purpose: SigningKeyPurpose = .idToken, at now: Instant
    ) throws(AccountError) -> Signer {
        guard let key = key(for: algorithm, purpose, at: now) else { throw .noSigningKey(algorithm) }
        return key.signer
    }

    /// The number of seconds since the current key began to sign.
    package func age(for algorithm: Algorithm, _ purpose: SigningKeyPurpose = .idToken, at now: Instant) -> Int {
        key(for: algorithm, purpose, at: now).map { Int(max(0, now.seconds - $0.signsFrom.seconds)) } ?? 0
    }

    private func key(for algorithm: Algorithm, _ purpose: SigningKeyPurpose, at now: Instant) -> SigningKey? {
        let published = purpose == .idToken ? published : publishedForSessionCookies
        let keys = published.signing.filter { $0.algorithm == algorithm }
        // On a clock that is behind the one that made the first key, that key is still the right one.
        return keys.last { $0.signsFrom <= now } ?? keys.first
    }

    package struct Published: Sendable {
        /// In order of `signsFrom`.
        let signing: [SigningKey]
        /// For verification of our access tokens, and of ID tokens that relying parties show as hints.
        package let keys: JWKSet
        /// The JWK set in the bytes that its endpoint sends.
        package let jwks: [UInt8]
        /// The entity tag of `jwks`.
        package let jwksTag: String
        /// A JSON object of key id to PEM certificate, only RS256, as the Firebase Admin SDKs fetch it.
        package let certificates: [UInt8]

        fileprivate init(keys: [SigningKey]) {
            signing = []
            self.keys = JWKSet(.object(["keys": .array([])]))
            jwks = Array(#"{"keys":[]}"#.utf8)
            jwksTag = Self.tag(jwks)
            certificates = Array("{}".utf8)
        }

        fileprivate init(signing: [SigningKey]) throws {
            self.signing = signing.sorted { $0.signsFrom < $1.signsFrom }
            let set = JSON.object(["keys": .array(self.signing.map(\.publicJWK))])
            keys = JWKSet(set)
            jwks = set.bytes()
            jwksTag = Self.tag(jwks)
            var certificates: JSON.Object = [:]
            for key in self.signing where key.algorithm == .rs256 { certificates[UTF8Text(key.kid)] = .string(key.certificate) }
            self.certificates = JSON.object(certificates).bytes()
        }

        /// The claims of a token of the type `JWT` that one of the keys signed, as bytes; `nil` for any other text.
        func claims(of token: UTF8Text) -> [UInt8]? {
            for key in signing.reversed() { if let claims = key.signer.claims(of: token) { return claims } }
            return nil
        }

        private static func tag(_ bytes: [UInt8]) -> String { "\"\(Base64URL.encode(Array(Digest.sha256(bytes).prefix(12))))\"" }
    }
}

/// One signing key, parsed and ready.
struct SigningKey: Sendable {
    let kid: String
    let algorithm: Algorithm
    let signer: Signer
    let publicJWK: JSON
    let certificate: String
    let signsFrom: Instant
}
