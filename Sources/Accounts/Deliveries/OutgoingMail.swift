import Runtime

/// A mail before it is rendered: its kind, its recipient, and the link in it. `Pages/Templates` decides how it looks, `Mail` sends it.
package struct OutgoingMail: DeliveryPayload, Equatable {
    package static let deliveryKind = DeliveryKind.mail
    /// One mail server takes all mails.
    package var recipient: [UInt8] { [] }

    package enum Kind: String, Sendable, Codable, CaseIterable {
        case resetPassword
        case verifyEmail
        /// To the new address: its owner decides whether the account moves to it.
        case verifyAndChangeEmail
        /// To the old address: the account has moved to another one, and this link undoes that.
        case recoverEmail
        case signIn
        /// To the account's owner: a provider was linked, or a first password was set.
        case signInMethodAdded
        case signInMethodRemoved
        case passwordChanged
        case passkeyAdded
        case passkeyRemoved
        /// To the account's owner: another authenticator may have a copy of a passkey.
        case passkeySuspected
        /// To the account's owner: the phone number signed in to an account that had long been idle, and may be another person's by now.
        case phoneSignIn
        /// Digits that prove the address at the page that asked for them; without a link.
        case emailCode
        /// To the account's owner: a second factor was enrolled, and this link takes it away again.
        case secondFactorAdded
        case secondFactorRemoved
        /// Wrong second factors were shown, by a person who gave the first proof; the link sets another password.
        case secondFactorRefused
        /// Digits in the place of an authenticator app's, whose secret is lost; without a link.
        case secondFactorCode
        /// To a person whose authenticator app Firebase still judges: it is to be set up anew.
        case secondFactorLost
        case recoveryCodesMade
        case recoveryCodeUsed

        /// The kind of the code in its link. An owner who gets a mail about a change also gets the way to take the account back.
        package var code: ActionCode.Kind? {
            switch self {
            case .resetPassword, .secondFactorRefused: .resetPassword
            case .verifyEmail: .verifyEmail
            case .verifyAndChangeEmail: .verifyAndChangeEmail
            case .recoverEmail, .signInMethodAdded, .signInMethodRemoved, .passwordChanged, .passkeyAdded, .passkeyRemoved,
                .passkeySuspected, .phoneSignIn:
                .recoverEmail
            case .signIn: .signIn
            case .secondFactorAdded: .revertSecondFactorAddition
            case .emailCode, .secondFactorRemoved, .secondFactorCode, .secondFactorLost, .recoveryCodesMade, .recoveryCodeUsed: nil
            }
        }
    }

    package var kind: Kind
    /// One address, without a name. Empty for a decoy about which a hook is asked: processes that know nothing of hooks cannot send it either.
    package var to: String
    /// The tag of a language that the project's templates have, such as `de`.
    package var language: String
    /// Absolute, at the configured public URL, with the code in it: a secret until it is used. Empty for a mail with digits.
    package var link: String
    /// The digits of `emailCode` and `secondFactorCode`: a secret until they are used.
    package var oneTimeCode: String?
    /// The address that the account will have (`verifyAndChangeEmail`) or has now (`recoverEmail`).
    package var newEmail: String?
    package var displayName: String?
    /// The id of the provider that was linked or unlinked; `nil` for the password.
    package var providerID: String?
    /// The time of the event that the mail reports, in seconds since 1970; `nil` for mails that report no event.
    package var happenedAt: Int64?
    /// The question for the project's hook before the mail leaves; `nil` where it is not asked.
    package var hooked: HookedMail?
    /// Why the mail was given up; `nil` for one that waits.
    var reasonOfFailure: String?

    package init(
        _ kind: Kind, to address: String, language: String, link: String, newEmail: String? = nil, displayName: String? = nil,
        providerID: String? = nil, happenedAt: Int64? = nil, oneTimeCode: String? = nil
    ) {
        self.kind = kind
        to = address
        self.language = language
        self.link = link
        self.newEmail = newEmail
        self.displayName = displayName
        self.providerID = providerID
        self.happenedAt = happenedAt
        self.oneTimeCode = oneTimeCode
    }

    /// Whether it is not sent, because no account has the address: it only has its hook asked, as for a mail that is.
    package var isDecoy: Bool { to.isEmpty }
}

/// Descriptions show neither the link nor people (SEC-21).
extension OutgoingMail: Concealed {
    package var description: String { "<mail \(kind.rawValue)>" }
}
