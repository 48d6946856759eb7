package import Identity
package import Runtime

/// An identity that a provider proved, and what came with the proof.
package struct ProvenIdentity: Sendable {
    package let identity: ProviderIdentity
    /// When the provider proved it; `nil` when it has just done so.
    package let provenAt: Instant?
    /// The provider's tokens, where its entry has them kept for back ends.
    package let tokens: ProviderTokens?

    package init(_ identity: ProviderIdentity, provenAt: Instant? = nil, tokens: ProviderTokens? = nil) {
        self.identity = identity
        self.provenAt = provenAt
        self.tokens = tokens
    }

    /// The same with the texts of the identity as accounts keep them.
    var kept: ProvenIdentity { ProvenIdentity(identity.kept, provenAt: provenAt, tokens: tokens) }
}
