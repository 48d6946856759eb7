package import ProjectSettings

/// The rule of a project's password policy.
extension PasswordPolicy {
    /// Throws `weakPassword` or `passwordRequirements` for a password that may not be set.
    package func check(_ password: String) throws(AccountError) {
        let length = password.utf16.count
        if enforcement == .off {
            guard length >= Self.shortest else { throw .weakPassword("Password should be at least \(Self.shortest) characters") }
            guard length <= Self.longest else { throw .passwordRequirements([Self.tooLong(Self.longest)]) }
            return
        }
        let missing = missing(in: password, length: length)
        guard missing.isEmpty else { throw .passwordRequirements(missing) }
    }

    /// Throws `passwordRequirements` when a sign-in with `password`, which is the account's, must be refused.
    package func checkAtSignIn(_ password: String) throws(AccountError) {
        if enforcement == .enforce, forceUpgradeOnSignIn { try check(password) }
    }

    private func missing(in password: String, length: Int) -> [String] {
        let minLength = max(minLength, Self.shortest)
        let maxLength = min(maxLength, Self.longest)
        let nonAlphanumeric = Self.nonAlphanumeric.compactMap(\.asciiValue)
        let classes: [(isRequired: Bool, name: String, holds: (UInt8) -> Bool)] = [
            (requiresLowercase, "a lower case", { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }),
            (requiresUppercase, "an upper case", { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }),
            (requiresNumeric, "a numeric", { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            (requiresNonAlphanumeric, "a non-alphanumeric", { nonAlphanumeric.contains($0) }),
        ]
        var missing: [String] = []
        if length < minLength { missing.append("Password must contain at least \(minLength) characters") }
        if length > maxLength { missing.append(Self.tooLong(maxLength)) }
        for (isRequired, name, holds) in classes where isRequired && !password.utf8.contains(where: holds) {
            missing.append("Password must contain \(name) character")
        }
        return missing
    }

    private static func tooLong(_ length: Int) -> String { "Password may contain at most \(length) characters" }
}
