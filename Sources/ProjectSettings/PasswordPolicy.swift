import Config

/// The rules of a project for new passwords.
///
/// Lengths are counted in UTF-16 units and classes by ASCII, as the JS SDK's `validatePassword` does, so that a form and the server never
/// disagree. <https://cloud.google.com/identity-platform/docs/password-policy>
package struct PasswordPolicy: Sendable, Equatable {
    package var enforcement = Enforcement.off
    package var minLength = Self.shortest
    package var maxLength = Self.longest
    package var requiresLowercase = false
    package var requiresUppercase = false
    package var requiresNumeric = false
    package var requiresNonAlphanumeric = false
    /// Whether a sign-in with a password that no longer meets the policy is refused until it is reset.
    package var forceUpgradeOnSignIn = false

    package init() {}

    package enum Enforcement: String, Sendable, CaseIterable {
        /// Only what holds for every project: 6 to 4096 characters.
        case off
        case enforce
    }

    /// The bounds that hold for every project.
    package static let shortest = 6
    package static let longest = 4096
    /// The characters that count as non-alphanumeric: Firebase's list.
    package static let nonAlphanumeric: [Character] = Array("^$*.[]{}()?\"!@#%&/\\,><':;|_~")
}

extension PasswordPolicy {
    init(_ section: Section) {
        self.init()
        enforcement = section.choice("enforcement", default: enforcement)
        minLength = section.int("minLength", default: minLength, in: Self.shortest...30)
        maxLength = section.int("maxLength", default: maxLength, in: minLength...Self.longest)
        requiresLowercase = section.bool("lowercase", default: requiresLowercase)
        requiresUppercase = section.bool("uppercase", default: requiresUppercase)
        requiresNumeric = section.bool("numeric", default: requiresNumeric)
        requiresNonAlphanumeric = section.bool("nonAlphanumeric", default: requiresNonAlphanumeric)
        forceUpgradeOnSignIn = section.bool("forceUpgradeOnSignIn", default: forceUpgradeOnSignIn)
        section.finish()
    }
}
