package import Accounts
import HTTP
package import ProjectSettings
package import Projects
import Text

extension Context {
    /// The charge of this call to the limits of the caller's project, for a rule that charges it together with what it reads.
    ///
    /// - Parameters:
    ///   - email: the address that is signed in, mailed or asked for, as the caller wrote it.
    ///   - accountID: instead of `email`, the account that an ID token names.
    package func attempt(_ action: LimitedAction, email: String? = nil, accountID: String? = nil) throws -> Attempt {
        attempt(action, email: email, accountID: accountID, of: try project)
    }

    /// The same for routes that do not have an API key in the usual place. The client's address is that of the connection, or the one that
    /// a trusted proxy reports (`ClientAddress`, SEC-08); an IPv6 client counts by its /64.
    package func attempt(_ action: LimitedAction, email: String? = nil, accountID: String? = nil, of project: Project) -> Attempt {
        Attempt(action, from: request.peer.limitKey.description, email: email, accountID: accountID, in: project.settings)
    }

    /// Charges the call, in one round trip, before anything else is done for it. Throws `tooManyAttempts` or `quotaExceeded`.
    package func limit(_ action: LimitedAction, email: String? = nil, accountID: String? = nil) async throws {
        try await services.accounts.limits.charge(try attempt(action, email: email, accountID: accountID))
    }

    /// Charges the mailbox (in canonical form) to which the caller asks to send a mail.
    package func limit(_ action: LimitedAction, mailbox: String) async throws {
        try await services.accounts.limits.charge(
            Attempt(action, from: request.peer.limitKey.description, mailbox: mailbox, in: try project.settings))
    }

    package func limit(_ action: LimitedAction, of project: Project) async throws {
        try await services.accounts.limits.charge(attempt(action, of: project))
    }
}
