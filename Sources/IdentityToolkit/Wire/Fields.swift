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

    static func name(_ field: FieldUpdate<UTF8Text>) throws(Failure) -> FieldUpdate<String> {
        try change(field, most: ProfileText.longestName, "displayName")
    }

    static func photoURL(_ field: FieldUpdate<UTF8Text>) throws(Failure) -> FieldUpdate<String> {
        let change = try change(field, most: ProfileText.longestURL, "photoUrl")
        if case .set(let url) = change, !ProfileText.isPicture(url) {
            throw .invalidArgument("photoUrl does not begin with https://, http:// or data:image/.")
        }
        return change
    }

    private static func change(_ field: FieldUpdate<UTF8Text>, most: Int, _ name: String) throws(Failure) -> FieldUpdate<String> {
        switch field {
        case .keep: .keep
        case .clear: .clear
        case .set(let text): try checked(text, most: most, name).map(FieldUpdate.set) ?? .clear
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
