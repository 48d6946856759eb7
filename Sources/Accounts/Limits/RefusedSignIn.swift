import ProjectSettings
import WebAuthn

/// A sign-in that a rule refused, for the operator whom a person asks why they cannot sign in.
struct RefusedSignIn {
    /// The id of a provider, or a name of `SignInProvider`, as in metrics.
    let method: String
    let error: AccountError
    /// The account of the person; `nil` where it is not known, or only by its password (`namedID`).
    let accountID: String?
    /// The hash of the address that was signed in with; `nil` without one.
    let emailHash: String?
    let projectID: String
    let client: Session.ClientInfo

    /// The name of the reason. It tells a wrong password from an unknown address, which the answer to the caller may not (SEC-15).
    var reason: String {
        switch error {
        case .invalidCredentials(of: nil), .noSuchEmail: "unknownAddress"
        case .invalidCredentials, .wrongPassword: "wrongPassword"
        case .customToken(.invalid(let reason)): "customToken: \(reason)"
        case .tooManyAttempts(let action, by: let scope): "tooManyAttempts: \(action.rawValue) \(scope.configKey)"
        case .quotaExceeded(let action): "quotaExceeded: \(action.rawValue)"
        case .passkeyRefused(let check): "passkeyRefused: \(check.rawValue)"
        // The name of the case, without what belongs to it.
        default: String("\(error)".prefix { $0 != "(" })
        }
    }

    /// The reason as the log of sign-ins has it: one of a closed list, without the sentence about a custom token.
    var code: String {
        if case .customToken(.invalid) = error { "customToken" } else { reason }
    }

    /// The account that the line names: the one that is known, or whose password was wrong.
    var namedID: String? {
        switch error {
        case .invalidCredentials(of: let id): id
        case .wrongPassword(of: let id): id
        default: accountID
        }
    }
}

extension Refusals.Limit {
    /// Reads the reason of a refused sign-in (`RefusedSignIn.code`); `nil` for one that no limit refused.
    package init?(code: String) {
        let parts = code.split(separator: " ").map(String.init)
        guard parts.count > 1, let action = LimitedAction(rawValue: parts[1]) else { return nil }
        switch (parts[0], parts.count) {
        case ("tooManyAttempts:", 3):
            guard let scope = LimitScope.allCases.first(where: { $0.configKey == parts[2] }) else { return nil }
            self.init(action: action, scope: scope)
        // No sign-in is counted by the region of a number.
        case ("quotaExceeded:", 2): self.init(action: action, scope: .project)
        default: return nil
        }
    }
}
