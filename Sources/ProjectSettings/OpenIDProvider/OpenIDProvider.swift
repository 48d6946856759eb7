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
        package var tenantID: String?
        /// Other names of the project in URLs of B2C's form, such as `contoso.onmicrosoft.com`.
        package var tenantNames: [String] = []
        /// How long a person stays signed in at the hosted pages of this browser, counted from the sign-in.
        package var sessionLifetime: Duration = .seconds(86400)

        package init() {}

        /// The client with this id; ids are compared byte by byte.
        package func client(id: UTF8Text) -> OAuthClient? { clients.first { id == $0.id } }
    }

    /// Every name by which URLs of B2C's form may call the project: its id, and its tenant's id and names.
    package var tenantSpellings: [String] {
        [id] + (openIDProvider.map { provider in [provider.tenantID].compactMap { $0 } + provider.tenantNames } ?? [])
    }
}
