import Accounts
import Brokerage

/// Every error that a caller may see: its wire code, the text shown with it, and its kind. This is the only such table; an error without a
/// line here is answered as a 500, and only the log explains it.
package struct Failure: Error, Equatable {
    package let code: String
    package let detail: String?
    package let kind: Kind
    let signInCodes: SignInCodes

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
        /// 503 with `Retry-After`.
        case unavailable
        case `internal`
    }

    /// The codes of the JS SDK and of RFC 6749 §4.1.2.1 for a business error that ends a sign-in at a provider.
    struct SignInCodes: Equatable {
        var sdk = "auth/invalid-credential"
        var oauth = "invalid_request"
    }

    /// Only the table makes failures: an endpoint throws one of its constants.
    init(_ code: String, _ detail: String? = nil, kind: Kind = .business, signInCodes: SignInCodes = SignInCodes()) {
        self.code = code
        self.detail = detail
        self.kind = kind
        self.signInCodes = signInCodes
    }

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
