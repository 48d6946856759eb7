package import Runtime

/// The rules by which an account of another system becomes one of ours.
package struct ImportRules: Sendable {
    /// The worth of a source's word that an address is verified.
    package enum Mails: String, Sendable, CaseIterable {
        /// The source has asked the owner by a mail.
        case proven
        /// Somebody has said so by hand: a provider's word or a mail of ours must still prove it before it joins accounts.
        case told
    }

    package enum WithoutCredential: String, Sendable, CaseIterable {
        case keep, skip
    }

    package var mails = Mails.proven
    package var withoutCredential = WithoutCredential.keep
    /// The time of the import, for accounts whose source does not say when they were made.
    package let now: Instant

    package init(now: Instant) { self.now = now }
}
