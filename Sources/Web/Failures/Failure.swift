import Accounts
import Brokerage

/// Every error that a caller may see: its wire code, the text shown with it, and its kind. The files of this folder are the only such table; an
/// error without a line in them is answered as a 500, and only the log explains it.
package struct Failure: Error, Equatable {
    package let code: String
    package let detail: String?
    package let kind: Kind
    let signInCodes: SignInCodes
    /// The sentence for a person at a page, where `detail` is for programs.
    let words: String?
    /// The number that Azure AD B2C has for the error, where it has one.
    package let b2cNumber: Int?

    /// The form in which an error is answered: a row of the table of errors in docs/wire.md.
    package enum Kind: Sendable, Equatable {
        /// 400 without `status`: almost everything.
        case business
        /// 400 `INVALID_ARGUMENT`: the request could not be read.
        case badRequest
        case invalidAPIKey
        case unauthenticated
        case forbidden
        case notFound
        case methodNotAllowed
        case bodyTooLarge
        /// 415 with `Accept-Encoding`.
        case encodedBody
        /// An error of OAuth 2.0, with the status of its answer and the challenge in it.
        case oauthError(status: Int, Challenge?)
        /// 503 with `Retry-After`.
        case unavailable
        case `internal`

        /// The usual error of OAuth 2.0.
        static let oauth = Kind.oauthError(status: 400, nil)
    }

    /// The `WWW-Authenticate` of a 401. <https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1>
    package enum Challenge: Sendable, Equatable {
        /// Show the credentials of a client.
        case basic
        /// Show an access token.
        case bearer
        /// Show another access token; with the error. <https://www.rfc-editor.org/rfc/rfc6750#section-3.1>
        case bearerWithError
    }

    /// The codes of the JS SDK and of RFC 6749 §4.1.2.1 for a business error that ends a sign-in at a provider.
    struct SignInCodes: Equatable {
        var sdk = "auth/invalid-credential"
        var oauth = "invalid_request"

        /// For an attempt that may succeed later.
        static let later = SignInCodes(oauth: "temporarily_unavailable")
    }

    /// Whether it is an error of OAuth 2.0.
    package var isOfOAuth: Bool { if case .oauthError = kind { true } else { false } }

    /// Whether the same request may succeed later, as it is.
    package var isTemporary: Bool { kind == .unavailable || isLimit }

    /// Whether the caller, or the project, has reached a limit.
    var isLimit: Bool { signInCodes == .later }
    /// Whether this server failed, or had too much to do.
    var isOverload: Bool { kind == .internal || kind == .unavailable }

    /// Only the table makes failures: an endpoint throws one of its constants.
    init(
        _ code: String, _ detail: String? = nil, kind: Kind = .business, signInCodes: SignInCodes = SignInCodes(), words: String? = nil,
        b2cNumber: Int? = nil
    ) {
        self.code = code
        self.detail = detail
        self.kind = kind
        self.signInCodes = signInCodes
        self.words = words
        self.b2cNumber = b2cNumber
    }

    /// The same error with another text.
    package func saying(_ detail: String) -> Failure { Failure(code, detail, kind: kind, signInCodes: signInCodes, b2cNumber: b2cNumber) }

    /// `CODE` or `CODE : detail`, with the separator that every SDK splits at.
    package var message: String { detail.map { "\(code) : \($0)" } ?? code }
}

extension Failure {
    /// The failure that the caller sees for any thrown error.
    package init(describing error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as AccountError: self.init(describing: error)
        case let error as BrokerageError: self.init(describing: error)
        default: self = .internal
        }
    }
}
