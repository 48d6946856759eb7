/// The limited actions. The names are those of the project file and of the metric.
///
/// Refresh and lookup are not limited, on purpose: their tokens are signed, and a forged token fails before the database is asked, so
/// there is nothing to guess. And apps refresh and look up at start-up, when an error would sign JS users out. The calls with which frames
/// fetch results (`/__/auth/pending`, `/__/auth/relay`) are not limited either: a charge would write more than they read, and 256 bits
/// cannot be guessed.
package enum LimitedAction: String, Sendable, CaseIterable {
    /// Creates an account, with a password or anonymous.
    case signUp
    /// A try of a password. Only failures count: see `RateLimits.success`.
    case password
    case sendPasswordReset
    /// A mail that proves an address, or changes it.
    case sendVerification
    case sendSignInLink
    /// A mail with digits, which a person at a hosted page is to enter.
    case sendEmailCode
    /// A mail with made-up values that an operator sends to themselves.
    case sendSampleMail
    /// A check of a provider that an operator starts at the console.
    case checkProvider
    /// A try of an action code from a mail. Only failures count.
    case actionCode
    /// A try of the digits of a mail. Only failures count. Six digits open an account, so the tries for one address count together,
    /// whichever browsers they come from.
    case emailCode
    /// A code that is sent to a phone, by the hour.
    case sendSMS
    /// The same by the day.
    case sendSMSDaily
    /// A try of the digits that were sent to a phone. Only failures count, over all codes of the number.
    case phoneCode
    /// The caller changes their own account.
    case update
    case deleteAccount
    /// A change of an account's ways to sign in by its own session, about which its owner gets a mail.
    case changeSignInMethods
    /// A question how an address signs in.
    case identify
    /// The start of a sign-in at a provider; this also limits how many unfinished ones one address can leave.
    case startSignIn
    /// The redemption of a provider's answer.
    case federatedSignIn
    /// A try of a second factor, of whatever kind. Only failures count.
    case secondFactor
    /// A try of a relying party's secret. Only failures count. The account is the client.
    case clientSecret
    /// A sign-in by a custom token, whose key must be looked up before it can be refused.
    case customToken
    /// A refresh token of Firebase's that is to be traded for a session, about which Google is asked.
    case migrateSession
    /// A question to Firebase about a password, which is a guess until it is answered.
    case migratePassword
    /// A custom token for the person's data at Firebase, which takes a signature by RSA.
    case firestoreToken
    /// A question to Firebase about a person without an account here, or about an address that is to be a new account's.
    case migrateAccount
    /// The start of a sign-in with a passkey. Pages start one each time they are shown.
    case startPasskey
    /// A try of a passkey, whose key must be looked up before it can be refused.
    case passkey
    /// A service account's request for an access token, whose key must be looked up before it can be refused.
    case accessToken
}

/// The owner of a bucket.
package enum LimitScope: String, Sendable, CaseIterable {
    /// The account, or the e-mail address even if no account has it, from all client addresses.
    case account
    /// The same from one client address, so that a single hostile address does not lock the owner out.
    case accountAndAddress
    /// The mailbox that a mail goes to, from all client addresses and with any `+tag`: accounts and tags are cheap, and many of them must
    /// not flood the mailbox of a stranger.
    case mailbox
    /// The same from one client address, so that a single hostile address does not use up the owner's mails.
    case mailboxAndAddress
    /// The phone number that a code goes to.
    case number
    /// The numbers that differ in their last four digits alone: made-up numbers come in runs.
    case prefix
    /// The region of the number.
    case region
    /// The client's address; for IPv6 its /64.
    case address
    /// The whole project.
    case project

    /// The key in the project file.
    package var configKey: String {
        switch self {
        case .account: "perAccount"
        case .accountAndAddress: "perAccountAndAddress"
        case .mailbox: "perMailbox"
        case .mailboxAndAddress: "perMailboxAndAddress"
        case .number: "perNumber"
        case .prefix: "perPrefix"
        case .region: "perRegion"
        case .address: "perAddress"
        case .project: "perProject"
        }
    }
}

extension LimitedAction {
    /// The table: by what each is limited, and how much where the project file says nothing; `nil` is no limit. Generous by address, for
    /// whole offices have one; tight by account. Of several refusals the first is told.
    package var standard: [(scope: LimitScope, rate: Rate?)] {
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
        case .sendPasswordReset, .sendSignInLink, .sendEmailCode:
            [
                (.accountAndAddress, Rate(5, per: hour)), (.account, Rate(15, per: hour)), (.mailboxAndAddress, Rate(10, per: hour)),
                (.mailbox, Rate(30, per: hour)), (.address, Rate(60, per: hour)), (.project, Rate(10_000, per: day)),
            ]
        case .sendVerification:
            [
                (.account, Rate(5, per: hour)), (.mailbox, Rate(5, per: hour)), (.address, Rate(60, per: hour)),
                (.project, Rate(10_000, per: day)),
            ]
        case .emailCode:
            [(.accountAndAddress, Rate(10, per: hour)), (.account, Rate(50, per: day)), (.address, Rate(100, per: tenMinutes))]
        case .secondFactor: [(.account, Rate(20, per: day)), (.address, Rate(50, per: hour))]
        case .sendSMS:
            [
                (.number, Rate(5, per: hour)), (.prefix, Rate(20, per: hour)), (.account, Rate(5, per: hour)),
                (.address, Rate(10, per: tenMinutes)),
            ]
        case .sendSMSDaily:
            [
                (.number, Rate(10, per: day)), (.account, Rate(10, per: day)), (.address, Rate(30, per: day)),
                (.region, Rate(1000, per: day)), (.project, Rate(10_000, per: day)),
            ]
        case .phoneCode: [(.number, Rate(20, per: day)), (.address, Rate(50, per: hour))]
        case .actionCode: [(.address, Rate(100, per: tenMinutes))]
        case .update: [(.account, Rate(60, per: hour)), (.address, Rate(600, per: tenMinutes))]
        case .changeSignInMethods, .sendSampleMail: [(.mailbox, Rate(20, per: hour))]
        case .checkProvider: [(.project, Rate(20, per: hour))]
        case .migratePassword: [(.account, Rate(5, per: hour)), (.address, Rate(60, per: tenMinutes))]
        case .firestoreToken: [(.account, Rate(30, per: tenMinutes))]
        case .migrateAccount: [(.account, Rate(300, per: hour)), (.project, nil)]
        case .clientSecret: [(.accountAndAddress, Rate(10, per: tenMinutes)), (.address, Rate(100, per: tenMinutes))]
        case .deleteAccount: [(.address, Rate(60, per: hour))]
        case .identify: [(.address, Rate(100, per: tenMinutes))]
        case .startSignIn, .federatedSignIn, .customToken, .startPasskey, .passkey, .migrateSession, .accessToken:
            [(.address, Rate(600, per: tenMinutes)), (.project, nil)]
        }
    }
}
