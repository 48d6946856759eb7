import Postgres
import ProjectSettings
package import Runtime

/// Which of the accounts that a search finds are listed: those for which everything that is given is true.
package struct SearchFilter: Sendable, Equatable {
    /// Whether only disabled accounts are listed.
    package var disabled = false
    /// The way to sign in that they have: the id of a provider, or a name of `SignInProvider`.
    package var providerID: String?
    package var createdSince: Instant?
    /// Accounts that were made at this time or later are left out.
    package var createdBefore: Instant?

    package init() {}
}

extension SearchFilter {
    /// The list of a search without a text.
    var source: SearchSource {
        if disabled { return .disabled }
        switch providerID {
        case nil, SignInProvider.password, SignInProvider.anonymous, SignInProvider.passkey, SignInProvider.custom: return .everyone
        case SignInProvider.phone: return .phoneNumbers
        case .some(let id): return .provider(id)
        }
    }

    /// The conditions on `accounts a` that the order of a search does not hold already; `nil` for none. They are asked of each account that the
    /// search comes by, so a page looks at `UserSearches.mostLooked` accounts at most.
    func rest(behind source: SearchSource, in project: ProjectSettings) -> SQL? {
        var conditions: [SQL] = []
        if disabled, source != .disabled { conditions.append("a.disabled") }
        if let providerID, source != .provider(providerID), source != .phoneNumbers || providerID != SignInProvider.phone {
            conditions.append(Self.has(providerID, in: project))
        }
        if !source.isByCreation { conditions += creation }
        return conditions.isEmpty ? nil : conditions.joined(by: " AND ")
    }

    /// The conditions on the time when an account was made.
    var creation: [SQL] {
        [
            createdSince.map { "a.created_at >= \($0)" },
            createdBefore.map { "a.created_at < \($0)" },
        ].compactMap(\.self)
    }

    private static func has(_ providerID: String, in project: ProjectSettings) -> SQL {
        switch providerID {
        case SignInProvider.password: "(a.password_updated_at IS NOT NULL OR a.email_link_sign_in)"
        case SignInProvider.phone: "a.phone_number IS NOT NULL"
        case SignInProvider.custom: "a.custom_auth"
        case SignInProvider.passkey:
            "EXISTS (SELECT 1 FROM passkeys p WHERE p.project_id = \(project: project) AND p.account_id = a.account_id)"
        case SignInProvider.anonymous:
            """
            a.password_updated_at IS NULL AND NOT a.email_link_sign_in AND NOT a.custom_auth AND a.phone_number IS NULL
                AND NOT EXISTS (SELECT 1 FROM identities i WHERE i.project_id = \(project: project) AND i.account_id = a.account_id)
                AND NOT EXISTS (SELECT 1 FROM passkeys p WHERE p.project_id = \(project: project) AND p.account_id = a.account_id)
            """
        default:
            """
            EXISTS (SELECT 1 FROM identities i
                WHERE i.project_id = \(project: project) AND i.account_id = a.account_id AND i.provider_id = \(providerID))
            """
        }
    }
}
