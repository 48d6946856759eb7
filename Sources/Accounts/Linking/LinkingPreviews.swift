package import Identity
package import Postgres
package import ProjectSettings

/// Says what a sign-in or a link with an identity would come to now. Changes nothing.
package struct LinkingPreviews: Sendable {
    let lookup: LinkingLookup

    package init(database: Database) { lookup = LinkingLookup(storage: Storage(database: database)) }

    /// One read, and the decision that a sign-in would take. Throws `accountNotFound` when there is no account to link to.
    ///
    /// - Parameter accountID: the account that would link the identity; `nil` for a sign-in.
    package func preview(
        _ identity: ProviderIdentity, linkingTo accountID: String?, in project: ProjectSettings
    ) async throws(AccountError) -> LinkingPreview {
        let identity = identity.kept
        let found = try await lookup.find(identity, linkingTo: accountID, in: project)
        var intent = Linking.Intent.signIn(mayCreate: true)
        if accountID != nil {
            guard let linking = found.linking else { throw .accountNotFound }
            intent = .link(linking)
        }
        return LinkingPreview(
            identity: identity, candidates: found.candidates, decision: Linking.decide(intent, identity, found.candidates, project.signIn))
    }
}

/// A decision that was not carried out, with what it was made of.
package struct LinkingPreview: Sendable {
    /// As accounts keep it.
    package let identity: ProviderIdentity
    package let candidates: Linking.Candidates
    package let decision: LinkingDecision
}
