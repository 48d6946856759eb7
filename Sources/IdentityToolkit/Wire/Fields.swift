import Accounts
import Identity
import JSON
import Text
import Web

/// Fields that several calls take, checked and converted for the rules.

extension EmailAddress {
    /// The address in lower case, or `INVALID_EMAIL`.
    static func reading(_ text: UTF8Text) throws(Failure) -> String {
        guard let email = canonical(text.asString) else { throw .invalidEmail }
        return email
    }
}

enum ProfileField {
    /// A display name; `nil` for an empty one.
    static func name(_ text: UTF8Text?) throws(Failure) -> String? {
        try checked(text, most: ProfileText.longestName, "displayName")
    }

    static func name(_ field: Clearable<UTF8Text>) throws(Failure) -> Change<String> {
        try change(field, most: ProfileText.longestName, "displayName")
    }

    static func photoURL(_ field: Clearable<UTF8Text>) throws(Failure) -> Change<String> {
        let change = try change(field, most: ProfileText.longestURL, "photoUrl")
        if case .set(let url) = change, !ProfileText.isPicture(url) {
            throw .invalidArgument("photoUrl does not begin with https://, http:// or data:image/.")
        }
        return change
    }

    private static func change(_ field: Clearable<UTF8Text>, most: Int, _ name: String) throws(Failure) -> Change<String> {
        switch field {
        case .absent: .keep
        case .null: .clear
        case .value(let text): try checked(text, most: most, name).map(Change.set) ?? .clear
        }
    }

    private static func checked(_ text: UTF8Text?, most: Int, _ name: String) throws(Failure) -> String? {
        guard let text, !text.isEmpty else { return nil }
        guard ProfileText.isFit(text.asString, most: most) else {
            throw .invalidArgument("\(name) is longer than \(most) characters, or holds control or direction characters.")
        }
        return text.asString
    }
}
