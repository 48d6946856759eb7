import JSON
import Text

/// Where the attributes, roles and groups of Keycloak's users go: the operator decides, since each realm has its own.
///
///     {"attributes": {"phone": "phoneNumber", "picture": "photoUrl", "department": "claims.department"},
///      "realmRoles": "claims.roles", "groups": "claims.groups"}
package struct KeycloakAttributes: Sendable {
    private enum Target: Sendable, Equatable {
        case phoneNumber, photoURL, displayName
        case claim(UTF8Text)

        init?(_ text: UTF8Text) {
            switch text {
            case "phoneNumber": self = .phoneNumber
            case "photoUrl": self = .photoURL
            case "displayName": self = .displayName
            default:
                guard text.hasPrefix("claims."), text.utf8.count > 7 else { return nil }
                self = .claim(UTF8Text(text.utf8.dropFirst(7)))
            }
        }
    }

    private var attributes: [UTF8Text: Target] = [:]
    private var lists: [UTF8Text: Target] = [:]
    /// The members of a user that are lists of names, beside its attributes.
    private static let ofUser: [UTF8Text] = ["realmRoles", "groups"]

    package init() {}

    /// Reads such a file. Throws for one that has another form.
    package init(path: String) throws(SourceFailure) {
        let file = try InputFile(path: path)
        var bytes: [UInt8] = []
        _ = try file.take(into: &bytes) { _ in nil }
        try self.init(bytes, name: path)
    }

    init(_ bytes: [UInt8], name: String) throws(SourceFailure) {
        guard let file = (try? JSON.parse(bytes))?.object else { throw SourceFailure("\(name) is not a JSON object") }
        for member in file {
            if member.name == "attributes", let mapping = member.value.object {
                for attribute in mapping { attributes[attribute.name] = try Self.target(attribute.value, of: attribute.name, name) }
            } else if Self.ofUser.contains(member.name) {
                let target = try Self.target(member.value, of: member.name, name)
                guard case .claim = target else {
                    throw SourceFailure("\(name): \(member.name) can only become a claim, such as claims.roles")
                }
                lists[member.name] = target
            } else {
                throw SourceFailure("\(name): unknown member \(member.name); there are attributes, realmRoles and groups")
            }
        }
    }

    private static func target(_ value: JSON, of member: UTF8Text, _ name: String) throws(SourceFailure) -> Target {
        guard let target = value.string.flatMap(Target.init) else {
            throw SourceFailure("\(name): \(member) must become phoneNumber, photoUrl, displayName, or a claim such as claims.\(member)")
        }
        return target
    }

    /// Moves what a user has to where it goes, and counts the rest as lost.
    func apply(to account: inout SourceAccount, _ user: JSON.Object, _ losses: inout SourceLosses) {
        var claims: JSON.Object = [:]
        for attribute in user["attributes"]?.object ?? [:] {
            // A list of texts; in old exports one text.
            let values = attribute.value.array?.compactMap(\.string) ?? [attribute.value.string].compactMap(\.self)
            guard let first = values.first else { continue }
            switch attributes[attribute.name] {
            case .phoneNumber: account.phoneNumber = first.asString
            case .photoURL: account.photoURL = first.asString
            case .displayName: account.displayName = first.asString
            case .claim(let name): claims[name] = values.count == 1 ? .string(first) : .array(values.map { .string($0) })
            case nil: losses.add("attribute \(attribute.name.prefix(bytes: 64)) of the user; --attributes can keep it")
            }
        }
        for name in Self.ofUser {
            guard let values = user[name]?.array?.compactMap(\.string), !values.isEmpty else { continue }
            if case .claim(let claim) = lists[name] {
                claims[claim] = .array(values.map { .string($0) })
            } else {
                losses.add("\(name) of the user; --attributes can keep them as a claim")
            }
        }
        account.customAttributes = claims.isEmpty ? nil : JSON.object(claims).text()
    }
}
