import Crypto
package import Text

extension ProjectSettings {
    /// A part of a project with accounts, providers and rules of its own, such as one customer of the app's maker.
    ///
    /// Its project's keys sign its tokens, and its project's apps, API keys, domains and hooks are its own, too, as at Identity Platform. Everything
    /// else is its own, and off unless its file says otherwise.
    package struct Tenant: Sendable {
        package fileprivate(set) var id: String
        /// The name that administrators see.
        package var displayName: String
        /// When false, no call of apps is answered.
        package var enabled = true

        package init(id: String, displayName: String) {
            self.id = id
            self.displayName = displayName
        }

        /// Whether the text can be a tenant's id: 2 to 64 lower-case letters, digits and hyphens, a letter first and no hyphen last.
        package static func isID(_ text: some StringProtocol) -> Bool {
            func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
            let bytes = text.utf8
            return (2...64).contains(bytes.count) && bytes.first.map(isLetter) == true
                && bytes.allSatisfy { isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-") }
                && !text.hasSuffix("-")
        }

        /// The form of an id, to be named where a text does not have it.
        package static let form = "2 to 64 lower-case letters, digits and hyphens, a letter first and no hyphen last"
    }

    /// The settings of a tenant of `project` that has nothing of its own yet: everything is off.
    package init(_ tenant: Tenant, of project: ProjectSettings) {
        self.init(
            id: project.id, number: project.number, apiKeys: project.apiKeys, authorizedDomains: project.authorizedDomains,
            redirectURLs: project.redirectURLs)
        self.tenant = tenant
        storageID = Self.storageID(project: project.id, tenant: tenant.id)
        branding = Branding(name: tenant.displayName)
        (apps, redirect, tokens, customTokens) = (project.apps, project.redirect, project.tokens, project.customTokens)
        // As at Identity Platform, so that no tenant is a way around them. They are told which tenant it is.
        hooks = project.hooks
    }

    /// Turns the settings of a template into those of a tenant.
    package mutating func become(tenant id: String, named displayName: String) {
        if branding.name == tenant?.displayName { branding.name = displayName }
        tenant?.displayName = displayName
        tenant?.id = id
        storageID = Self.storageID(project: self.id, tenant: id)
    }

    /// Switches a tenant on or off.
    package mutating func enable(tenant isEnabled: Bool) { tenant?.enabled = isEnabled }

    /// The name of the realm in addresses of the OpenID provider: `acme`, or `acme~customer-a` for a tenant. No id has a `~`.
    package var addressName: String { tenant.map { "\(id)~\($0.id)" } ?? id }

    package static func storageID(project: String, tenant: String) -> String { "\(project)/\(tenant)" }

    /// The project and the tenant of a `storageID`; `nil` for a text of another form.
    package static func realm(of storageID: UTF8Text) -> (project: String, tenant: String?)? {
        guard let (project, tenant) = storageID.halves(at: UInt8(ascii: "/")), isID(project.asString),
            tenant.map({ Tenant.isID($0.asString) }) ?? true
        else { return nil }
        return (project.asString, tenant?.asString)
    }

    /// The number in refresh tokens, by which a call finds the realm of the session: the project's own number, or a negative one of the tenant's.
    ///
    /// It only leads to the realm. The session is looked up there by its random id, so two tenants of one number would do no harm.
    package var sessionNumber: Int64 {
        guard tenant != nil else { return number }
        let digest = Digest.sha256(Array(storageID.utf8))
        return digest.prefix(8).reduce(0) { $0 << 8 | Int64($1) } | .min
    }
}
