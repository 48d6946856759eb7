import JSON
package import Text

/// A person as an upstream provider has proven them, mapped to the words that all providers share.
package struct UpstreamIdentity: Sendable, Codable, Equatable {
    package var providerID: String
    /// The provider's name for the person; never reused for another.
    package var subject: String
    /// A second form of the subject under which the same person may be known.
    package var alias: String?
    /// The provider's tenant that vouches for the subject.
    package var tenant: String?
    package var email: String?
    /// The provider's statement, under the rules of its entry; shown to the app.
    package var emailVerified = false
    /// Whether the statement is proof enough to join accounts: the provider runs the mailbox's domain, or the operator says so.
    package var emailAuthoritative = false
    package var displayName: String?
    package var firstName: String?
    package var lastName: String?
    package var photoURL: String?
    package var screenName: String?
    package var language: String?
    /// The provider's own words, as the text of a JSON object.
    package var rawUserInfo: String

    package init(providerID: String, subject: String, rawUserInfo: String = "{}") {
        self.providerID = providerID
        self.subject = subject
        self.rawUserInfo = rawUserInfo
    }
}

/// What a finished sign-in brings: who it is, and the provider's tokens for the app.
package struct UpstreamResult: Sendable, Codable, Equatable {
    package var identity: UpstreamIdentity
    package var idToken: String?
    package var accessToken: String?
    package var refreshToken: String?
    /// Seconds that the access token lives.
    package var expiresIn: Int?

    package init(identity: UpstreamIdentity, idToken: String? = nil, accessToken: String? = nil) {
        self.identity = identity
        self.idToken = idToken
        self.accessToken = accessToken
    }
}

/// What an app brings that signed in with the provider by itself.
package struct Credential: Sendable {
    package var idToken: UTF8Text?
    package var accessToken: UTF8Text?
    /// The nonce before the app hashed it for the provider.
    package var rawNonce: UTF8Text?

    package init(idToken: UTF8Text? = nil, accessToken: UTF8Text? = nil, rawNonce: UTF8Text? = nil) {
        self.idToken = idToken
        self.accessToken = accessToken
        self.rawNonce = rawNonce
    }
}

/// A person's photo, as bytes.
package struct Photo: Sendable, Equatable {
    /// `image/jpeg` and the like; never SVG, which can hold scripts.
    package let type: String
    package let bytes: [UInt8]
}

extension JSON {
    /// A member that says something: some issuers write `null` for what they leave out.
    func present(_ name: UTF8Text) -> JSON? { self[name].flatMap { $0.isNull ? .none : $0 } }

    /// A member that is text and not empty, at most `limit` bytes long.
    func text(_ name: UTF8Text, limit: Int = 1024) -> UTF8Text? {
        guard let text = self[name]?.string, !text.isEmpty, text.utf8.count <= limit else { return nil }
        return text
    }
}
