import Config

extension ProjectSettings {
    /// How people may sign in besides the providers, and what apps may do for them: `signIn` of a project's file. Everything is off by
    /// default, except what Firebase gives every project.
    package struct SignInMethods: Sendable {
        package var password = false
        package var emailLink = false
        package var anonymous = false
        /// Whether apps may create accounts; administrators always may.
        package var signUp = true
        /// Whether people may delete their own accounts.
        package var deletion = true
        /// How recent a sign-in must be to change the password or the address, or to delete the account.
        package var recentLogin: Duration = .seconds(300)
        /// Whether an e-mail address belongs to one account alone. If not, the accounts that providers make carry no address.
        package var oneAccountPerEmail = true
        package var linking = LinkingPolicy.firebase

        package init() {}
    }

    /// The rule for a sign-in whose provider proves the address of an account that does not have the identity.
    package enum LinkingPolicy: String, Sendable, CaseIterable {
        /// As at Firebase: the account gets the identity. Where its maker never proved the address, everything of the maker's ends.
        case firebase
        /// The account gets the identity only when the person signs in to it and links.
        case confirm
        /// As `firebase` where nothing has to end, and otherwise as `confirm`.
        case neverOverwrite
    }
}

extension ProjectSettings.SignInMethods {
    init(_ section: Section) {
        self.init()
        password = section.bool("password", default: password)
        emailLink = section.bool("emailLink", default: emailLink)
        anonymous = section.bool("anonymous", default: anonymous)
        signUp = section.bool("signUp", default: signUp)
        deletion = section.bool("deletion", default: deletion)
        recentLogin = section.duration("recentLogin", default: recentLogin, in: .seconds(30)...(.seconds(86400)))
        oneAccountPerEmail = section.bool("oneAccountPerEmail", default: oneAccountPerEmail)
        linking = section.choice("linking", default: linking)
        if !oneAccountPerEmail, linking != .firebase {
            section.note("linking", "has no effect with oneAccountPerEmail: false, which never compares addresses")
        }
        section.finish()
    }
}
