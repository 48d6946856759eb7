/// The reason why a rule about second factors refused.
package enum SecondFactorError: Sendable, Equatable {
    /// The pending sign-in does not exist, has ended, or is another project's. The answer is always the same.
    case pendingUnknown
    /// The account has no second factor with this id.
    case notFound
    /// The project lets no second factors of this kind be enrolled.
    case notEnabled(Kind)
    /// The way by which the person signed in takes no second factor.
    case firstFactorUnsupported
    /// A second factor needs an account whose address is verified.
    case emailUnverified
    /// The account has as many second factors as it may have.
    case tooMany
    /// The account has this number already.
    case exists
    /// Two second factors of a list have one id.
    case duplicateID
    /// The project demands a second factor, and this is the account's last one.
    case lastOfRequired
    /// The call does not ask for second factors of this kind.
    case unsupported
    /// The account has a second factor of another system's that no call of this server asks for.
    case unanswerable

    /// A kind of second factor that a project offers or not.
    package enum Kind: Sendable, Equatable { case totp, sms, recoveryCode }
}
