/// What is limited. The names are those of the project file and of the metric.
///
/// Not here, on purpose: refresh and lookup. What they take is signed or authenticated, and a forgery fails before the database is
/// asked, so there is nothing to guess; and an error at start-up, where apps refresh and look up, signs JS users out. Nor what
/// frames ask for results by (`/__/auth/pending`, `/__/auth/relay`): a charge writes more than they read, and nobody guesses 256 bits.
package enum LimitedAction: String, Sendable, CaseIterable {
    /// Makes an account, with a password or anonymous.
    case signUp
    /// A password is tried. Only failures count: see `RateLimits.success`.
    case password
    case sendPasswordReset
    /// A mail that proves an address, or the change to another.
    case sendVerification
    case sendSignInLink
    /// An action code of a mail is tried. Only failures count.
    case actionCode
    /// The caller changes their own account.
    case update
    case deleteAccount
    /// An account's ways to sign in change by its own session, and its owner is told by mail.
    case changeSignInMethods
    /// Asks how an address signs in.
    case identify
    /// A sign-in at a provider is begun; also bounds how many unfinished ones one address can leave.
    case startSignIn
    /// A provider's answer is redeemed.
    case federatedSignIn
    /// A custom token is shown: its key is looked up before it can be refused.
    case customToken
}

/// Whom a bucket belongs to.
package enum LimitScope: String, Sendable, CaseIterable {
    /// The account, or the e-mail address whether anybody has it or not, from wherever it is tried.
    case account
    /// The same from one client address, so that one hostile address alone does not lock the owner out.
    case accountAndAddress
    /// The mailbox that a mail goes to, from wherever it is asked for, and with whatever `+tag`: accounts and tags are cheap, and a stranger's mailbox
    /// is not flooded by many of them.
    case mailbox
    /// The same from one client address, so that one hostile address alone does not use up the owner's mails.
    case mailboxAndAddress
    /// The client's address, an IPv6 client's /64.
    case address
    /// The whole project.
    case project

    /// The key in the project file.
    var configKey: String {
        switch self {
        case .account: "perAccount"
        case .accountAndAddress: "perAccountAndAddress"
        case .mailbox: "perMailbox"
        case .mailboxAndAddress: "perMailboxAndAddress"
        case .address: "perAddress"
        case .project: "perProject"
        }
    }
}

extension LimitedAction {
    /// The table: by what each is limited, and how much where the project file says nothing; `nil` is no limit. Generous by address, for
    /// whole offices have one; tight by account. Of several refusals the first is told.
    var standard: [(scope: LimitScope, rate: Rate?)] {
        let hour = Duration.seconds(3600)
        let tenMinutes = Duration.seconds(600)
        let day = Duration.seconds(86400)
        return switch self {
        case .signUp: [(.address, Rate(100, per: hour)), (.project, nil)]
        case .password:
            [
                (.accountAndAddress, Rate(10, per: .seconds(1800))), (.account, Rate(40, per: hour)),
                (.address, Rate(300, per: tenMinutes)),
            ]
        case .sendPasswordReset, .sendSignInLink:
            [
                (.accountAndAddress, Rate(5, per: hour)), (.account, Rate(15, per: hour)), (.mailboxAndAddress, Rate(10, per: hour)),
                (.mailbox, Rate(30, per: hour)), (.address, Rate(60, per: hour)), (.project, Rate(10_000, per: day)),
            ]
        case .sendVerification:
            [
                (.account, Rate(5, per: hour)), (.mailbox, Rate(5, per: hour)), (.address, Rate(60, per: hour)),
                (.project, Rate(10_000, per: day)),
            ]
        case .actionCode: [(.address, Rate(100, per: tenMinutes))]
        case .update: [(.account, Rate(60, per: hour)), (.address, Rate(600, per: tenMinutes))]
        case .changeSignInMethods: [(.mailbox, Rate(20, per: hour))]
        case .deleteAccount: [(.address, Rate(60, per: hour))]
        case .identify: [(.address, Rate(100, per: tenMinutes))]
        case .startSignIn, .federatedSignIn, .customToken: [(.address, Rate(600, per: tenMinutes)), (.project, nil)]
        }
    }
}
