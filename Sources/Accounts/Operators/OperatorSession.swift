import Crypto
package import Runtime
package import Text

/// The session of an operator's browser at the console.
package struct OperatorSession: Sendable {
    /// Only the browser has it; the database has its hash.
    let secret: [UInt8]
    /// The operator's name in the configuration.
    package let operatorName: String
    /// The person at the provider; `nil` for a session that `gatehouse console open` began.
    package let person: OperatorPerson?
    /// Why the console was opened without the provider.
    package let reason: String?
    /// When the person last proved themselves.
    package let signedInAt: Instant
    /// The passkey by which they did; `nil` where they did at the provider.
    let passkeyID: [UInt8]?
    /// The address that the person is bound to, of an operator whom the configuration knows by address.
    package let email: String?

    /// For how long after a sign-in an operator may do what cannot be undone.
    private static let freshness: Duration = .seconds(300)

    package init(
        secret: [UInt8], operatorName: String, person: OperatorPerson?, reason: String?, signedInAt: Instant, passkeyID: [UInt8]? = nil,
        email: String? = nil
    ) {
        self.secret = secret
        self.operatorName = operatorName
        self.person = person
        self.reason = reason
        self.signedInAt = signedInAt
        self.passkeyID = passkeyID
        self.email = email
    }

    /// The value of the cookie.
    package var cookie: String { Base64URL.encode(secret) }

    /// The session's name where its secret must not be.
    package var id: String { OperatorSessions.id(of: secret) }

    package var isBreakGlass: Bool { person == nil }

    package func isFresh(at now: Instant) -> Bool { now < signedInAt + Self.freshness }

    /// Whether that was at the provider: a passkey adds no other one.
    package func isFreshAtProvider(at now: Instant) -> Bool { isFresh(at: now) && passkeyID == nil && !isBreakGlass }

    /// The proof that the browser of the session got the form from the console: an HMAC over the address that the form is sent to, which names what the
    /// form does, and to what.
    package func formToken(for target: String) -> String {
        let key = HKDF.sha256(secret: secret, salt: [], info: "gatehouse console form", length: 32)
        return Base64URL.encode(Digest.hmacSHA256(key: key, Array(target.utf8)))
    }

    package func isGenuine(_ token: UTF8Text, for target: String) -> Bool {
        constantTimeEqual(Array(token.utf8), Array(formToken(for: target).utf8))
    }
}

/// A person at the provider of the console. The subject is the person; no e-mail address is.
package struct OperatorPerson: Sendable, Equatable {
    package let issuer: String
    package let subject: String

    package init(issuer: String, subject: String) {
        self.issuer = issuer
        self.subject = subject
    }
}
