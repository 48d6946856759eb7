import Accounts
import Brokerage
package import HTTP
package import Logging

/// The text that the log may hold about an error: never a bound value, a token or a secret (SEC-21).
package enum LogDetail {
    package static func of(_ error: any Error) -> String {
        switch error {
        case BrokerageError.account(let error): error.logDetail
        case let error as AccountError: error.logDetail
        case let error as BrokerageError: error.logDetail ?? Failure(describing: error).message
        case let error as Failure: error.message
        default: "\(error)"
        }
    }

    /// The level of the line about a request that could not be answered. One that met other changes of the same account, or that a limit
    /// refused, needs nothing of the operator.
    package static func level(of error: any Error) -> Logger.Level {
        switch error {
        case AccountError.conflict, AccountError.tooManyAttempts, AccountError.quotaExceeded: .notice
        default: .error
        }
    }

    /// Writes the line about a request that could not be answered.
    package static func record(_ error: any Error, of request: Request, at route: String, to log: Logger) {
        log.log(
            level: level(of: error), "request failed",
            metadata: ["id": "\(request.id)", "route": "\(route)", "error": "\(of(error))"])
    }

    /// The reason why a provider's answer was refused; `nil` for other errors.
    static func ofProvider(_ error: any Error) -> String? { (error as? BrokerageError)?.logDetail }

    /// The project and the provider that the error is about, where it names them.
    static func place(of error: any Error) -> Logger.Metadata {
        guard case BrokerageError.at(let provider, let project, _) = error else { return [:] }
        return ["project": .string(project), "provider": .string(provider)]
    }
}
