import HTTP
import ProjectSettings
import Runtime
import Text
import Web

extension Failure {
    /// The same error as Azure AD B2C describes it, where a user flow stands in the address and B2C has a number for it. Apps search for the number.
    /// <https://learn.microsoft.com/azure/active-directory-b2c/error-codes>
    ///
    /// Differs from B2C: the text stands on one line, since RFC 6749 §4.1.2.1 permits no line breaks.
    func described(by userFlow: UserFlow?, _ requestID: HTTP.RequestID, at now: Instant) -> Failure {
        guard userFlow != nil, let b2cNumber else { return self }
        return saying("AADB2C\(b2cNumber): \(errorDescription) Correlation ID: \(requestID) Timestamp: \(Timestamp.text(now))")
    }
}
