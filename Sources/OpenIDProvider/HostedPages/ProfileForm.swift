import Accounts
import HTTP
import Identity
import ProjectSettings
import Text
import Web

/// The attributes that a user flow asks for.
extension HostedVisit {
    /// The attributes of the person that a form has.
    struct Attributes {
        var displayName: String?
        /// An empty text removes the value.
        var claims: [ProfileClaim: String] = [:]
    }

    /// Reads the attributes of the user flow; throws the fault of the first wrong field.
    func attributes(in form: Form) throws(FormFault) -> Attributes {
        var attributes = Attributes()
        for attribute in flow?.collect ?? [] {
            let text = (form[UTF8Text(attribute.rawValue)] ?? "").trimmed
            if text.isEmpty, attribute.isRequired { throw FormFault(field: attribute.rawValue, word: "missingName") }
            guard ProfileText.isFit(text.asString, most: ProfileText.longestName) else {
                throw FormFault(field: attribute.rawValue, word: "badName")
            }
            switch attribute {
            case .displayName: attributes.displayName = text.asString
            case .givenName: attributes.claims[.givenName] = text.asString
            case .surname: attributes.claims[.familyName] = text.asString
            }
        }
        return attributes
    }

    func saveProfile(_ form: Form) async throws -> Response {
        guard let session else { return resume() }
        let attributes = try attributes(in: form)
        try await accounts.openID.profileEdits.edit(
            displayName: attributes.displayName, attributes.claims, in: session, of: settings, from: context.browserClientInfo)
        if flow?.kind == .profileEdit {
            try await accounts.openID.requests.recordEdit(of: authorization, by: session.account.id, in: settings)
        }
        return resume()
    }
}
