import Config
import HTTP
package import Text

extension ProjectSettings {
    /// The settings of a project's OpenID provider for relying parties: `openIDProvider` of the project's file. A project without
    /// it is not a provider.
    ///
    /// Each client has one entry, and so has each user flow: a sign-in page of its own, in the URLs of Azure AD B2C.
    package struct OpenIDProvider: Sendable {
        package var clients: [OAuthClient] = []
        package var userFlows: [UserFlow] = []
        /// A GUID. Tokens of user flows name it as `tid`; some issuers contain it.
        package var directoryID: String?
        /// Other names of the project in URLs of B2C's form, such as `contoso.onmicrosoft.com`.
        package var directoryNames: [String] = []
        /// How long a person stays signed in at the hosted pages of this browser, counted from the sign-in.
        package var sessionLifetime: Duration = .seconds(86400)
        /// Whether people see and change there what opens their account.
        package var accountPage = true

        package init() {}

        /// `acr` of a sign-in with a second factor. OpenID Connect names no values of its own; libraries know this one.
        /// <https://openid.net/specs/openid-provider-authentication-policy-extension-1_0.html#auth_policies>
        package static let multiFactor = "http://schemas.openid.net/pape/policies/2007/06/multi-factor"

        /// The same clients and flows at another issuer: without the names of the directory, which only one realm can have.
        func withoutDirectory() -> OpenIDProvider {
            var provider = self
            (provider.directoryID, provider.directoryNames) = (nil, [])
            return provider
        }

        /// The client with this id; ids are compared byte by byte.
        package func client(id: UTF8Text) -> OAuthClient? { clients.first { id == $0.id } }
    }

    /// Every name by which URLs of B2C's form may call the realm: its `addressName`, and its directory's id and names.
    package var directoryNames: [String] {
        [addressName] + (openIDProvider.map { provider in [provider.directoryID].compactMap { $0 } + provider.directoryNames } ?? [])
    }
}

extension ProjectSettings.OpenIDProvider {
    /// - Parameter project: the project's id.
    init(_ section: Section, project: String, development: Bool) {
        self.init()
        sessionLifetime = section.duration("sessionLifetime", default: sessionLifetime, in: .seconds(300)...(.seconds(365 * 86400)))
        accountPage = section.bool("accountPage", default: accountPage)
        readDirectory(section.section("tenant"))
        readUserFlows(section)
        section.requireEntry("clients", "so no app can ask; add an entry for each app, or remove openIDProvider")
        for entry in section.list("clients") {
            let client = OAuthClient(entry, project: project, development: development)
            check(client, entry)
            clients.append(client)
        }
        section.finish()
    }

    private mutating func readDirectory(_ section: Section) {
        directoryID = section.value("id", expected: "a GUID, such as 775527ff-9a37-4307-8b3d-cc311f58d925", Self.guid)
        directoryNames = section.values("names", expected: "a name with a dot, such as contoso.onmicrosoft.com", Self.directoryName)
        for name in directoryNames where ReservedNames.contains(name) { section.fault("names", "\(name) \(ReservedNames.reason)") }
        section.finish()
    }

    private mutating func readUserFlows(_ section: Section) {
        for entry in section.list("userFlows") {
            let flow = UserFlow(entry)
            if !flow.name.isEmpty, userFlows.contains(where: { $0.name.isExactly(flow.name) }) {
                entry.fault("name", "is the name of another flow already; each flow needs its own")
            }
            if flow.issuer != .policy, directoryID == nil {
                entry.fault("issuer", "is \(flow.issuer.rawValue), which contains the tenant's id; write tenant: {id: GUID}")
            }
            userFlows.append(flow)
        }
    }

    /// Refuses two clients of one id or one scheme of their own: a system with two apps of one scheme asks its user which.
    private func check(_ client: OAuthClient, _ entry: Section) {
        if !client.id.isEmpty, clients.contains(where: { $0.id.isExactly(client.id) }) {
            entry.fault("id", "is the id of another client already; each client needs its own")
        }
        for other in clients {
            let shared = client.customSchemes.intersection(other.customSchemes)
            guard let scheme = shared.min() else { continue }
            let isOfSignIn = client.redirectURIs.contains { RedirectURIRules.customScheme(of: $0) == scheme }
            entry.fault(
                isOfSignIn ? "redirectURIs" : "postLogoutRedirectURIs",
                "has the scheme \(scheme), which is the client \(other.id)'s too, so a phone would ask which app is meant; give each app its own"
            )
        }
    }

    private static func guid(_ text: String) -> String? {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let isHex = groups.joined().allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
        return isHex && groups.map(\.count) == [8, 4, 4, 4, 12] ? text : nil
    }

    /// A host's name of at least two parts: no project's id has a dot.
    private static func directoryName(_ text: String) -> String? {
        guard text.contains("."), let (_, port) = Authority.split(Array(text.utf8)[...]), port == nil,
            URI.parse("https://\(text)")?.address == nil
        else { return nil }
        return text
    }
}
