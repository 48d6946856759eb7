package import Identity
package import Postgres
package import ProjectSettings

/// Says what a sign-in or a link with an identity would come to now. Changes nothing.
package struct LinkingPreviews: Sendable {
    let holders: IdentityHolders

    package init(database: Database) { holders = IdentityHolders(storage: Storage(database: database)) }

    /// One read, and the decision that a sign-in would take. Throws `accountNotFound` when there is no account to link to.
    ///
    /// - Parameter accountID: the account that would link the identity; `nil` for a sign-in.
    package func preview(
        _ identity: ProviderIdentity, linkingTo accountID: String?, in project: ProjectSettings
    ) async throws(AccountError) -> LinkingPreview {
        let identity = identity.kept
        let found = try await holders.find(identity, linkingTo: accountID, in: project)
        var intent = Linking.Intent.signIn(mayCreate: true)
        if accountID != nil {
            guard let linking = found.linking else { throw .accountNotFound }
            intent = .link(linking)
        }
        return LinkingPreview(
            identity: identity, holders: found.holders, decision: Linking.decide(intent, identity, found.holders, project.signIn))
    }
}

/// A decision that was not carried out, with what it was made of.
package struct LinkingPreview: Sendable {
    /// As accounts keep it.
    package let identity: ProviderIdentity
    package let holders: Linking.Holders
    package let decision: LinkingDecision
}

extension LinkingDecision.Action {
    /// Its name in the output of commands.
    package var name: String {
        switch self {
        case .signIn: "signIn"
        case .create: "create"
        case .join: "join"
        case .takeOver: "takeOver"
        case .link: "link"
        case .confirm: "needConfirmation"
        case .refuse: "refuse"
        }
    }

    /// What it writes, a sentence for each change; empty when it writes nothing.
    package func changes(with identity: ProviderIdentity) -> [String] {
        let linked = "Identity \(identity.subject) of \(identity.providerID) is linked to it, and the audit events say so."
        let session = "It gets a session."
        switch self {
        case .refuse, .confirm: return []
        case .signIn(let account): return ["Account \(account.id) gets a session.", "What its identity says of the person is stored anew."]
        case .create(let email):
            let proof = identity.emailAuthoritative ? "proven" : "not proven"
            let address = email.map { "with the address \($0), \(proof)" } ?? "without an address"
            return [
                "A new account is made \(address).", "Identity \(identity.subject) of \(identity.providerID) is linked to it.", session,
            ]
        case .join(let account): return ["Account \(account.id) is joined.", linked, session]
        case .link(let account): return ["Account \(account.id) is the caller's.", linked, session]
        case .takeOver(let account, _):
            return [
                "Account \(account.id) loses its ways to sign in (\(account.waysToSignIn)).",
                "Its name and photo become the provider's, and its sessions and codes in mails end.", linked, session,
            ]
        }
    }
}
