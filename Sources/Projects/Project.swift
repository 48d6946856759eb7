package import HTTP
import JOSE
import JSON
package import Pages
package import ProjectSettings
package import Providers
package import Text

/// One project, or one tenant of a project, as requests see it: its settings and its providers.
package final class Project: Sendable {
    package let settings: ProjectSettings
    /// Those that are switched on, by their ids.
    package let providers: [UTF8Text: ProviderSettings]
    /// All providers that the project's file names, in its order.
    package let configuredProviders: [ProviderSettings]
    /// The ids of the providers that a tenant takes from its project.
    package let inherited: Set<UTF8Text>
    /// The tenants of a project; `nil` where it cannot have any, and for a tenant.
    package let tenants: Tenants?
    /// The name of the file, without its folder; `nil` for a project or tenant that is not made of a file. That of a tenant has the folders below
    /// that of the projects.
    package let fileName: String?
    /// The ids of all providers that the project's file names, also of those that are switched off.
    package let namedProviders: Set<UTF8Text>
    /// The providers that calls of administrators made in development mode, for the project and each of its tenants by the id of its rows. People
    /// of them are made up as those of every provider that no file names.
    let entriesOfCalls: [String: [ProviderEntry]]
    /// Renders its mails and pages.
    package let templates: Templates
    /// Whether a test suite named it and no file has it (`init(named:like:)`).
    package let isMadeOnTheFly: Bool
    /// The server's own address.
    let serverURL: String
    /// The scheme, host and port at which browsers reach the pages below `/__/auth/`. It comes from the configuration and never from a
    /// request (SEC-07); see `pagesURL(for:of:)` for development mode.
    package var pagesURL: String { settings.redirect.publicURL ?? serverURL }
    /// Its OpenID provider; `nil` when the project is not one.
    package let openIDProvider: PublishedIssuers?
    /// The discovery document, in the bytes that its endpoint sends: that of the OpenID provider, or without one a short one for back ends.
    package let discovery: [UInt8]

    package init(
        settings: ProjectSettings, providers: [ProviderSettings], publicURL: String, templates: Templates? = nil, file: String? = nil,
        tenants: Tenants? = nil, isMadeOnTheFly: Bool = false
    ) {
        self.settings = settings
        self.tenants = tenants
        inherited = []
        self.isMadeOnTheFly = isMadeOnTheFly
        entriesOfCalls = [:]
        serverURL = publicURL
        fileName = file.map { String($0.split(separator: "/").last ?? "") }
        configuredProviders = providers
        self.templates = templates ?? Templates(branding: settings.branding)
        self.providers = Self.switchedOn(providers)
        namedProviders = Self.names(providers)
        let base = "\(publicURL)/\(settings.id)"
        openIDProvider = PublishedIssuers(settings, publicURL: publicURL, languages: self.templates.languages)
        discovery =
            openIDProvider?.native.document
            ?? JSON.object([
                "issuer": .string(settings.issuer(publicURL: publicURL)),
                "jwks_uri": .string(base + "/oauth2/jwks"),
                "response_types_supported": ["id_token"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": .array([.string(settings.tokens.algorithm.rawValue)]),
                "claims_supported": [
                    "iss", "aud", "sub", "iat", "exp", "auth_time", "user_id", "email", "email_verified", "name", "picture", "firebase",
                ],
            ]).bytes()
    }

    /// Whether it is a tenant that no app may call.
    package var isSwitchedOff: Bool { settings.tenant?.enabled == false }

    /// Those that are switched on and that its own file has.
    package var ownProviders: [ProviderSettings] { orderedProviders.filter { !inherited.contains(UTF8Text($0.id)) } }

    /// Those that are switched on, in the order of the project's file.
    package var orderedProviders: [ProviderSettings] { configuredProviders.filter(\.enabled) }

    /// The providers that keep their tokens for back ends. A provider that is switched off keeps those that it has.
    package var tokenKeepers: [String] { namedProviders.filter { providers[$0]?.keepsTokens ?? true }.map(\.asString) }

    /// The name that buttons show for the provider of this id; `nil` when the project does not have it any more.
    package func name(ofProvider id: String) -> String? { providers[UTF8Text(id)]?.name }

    /// The redirect URI that operators register with a provider.
    ///
    /// - Parameter provider: a provider whose callbacks have an address of their own; `nil` for the common address.
    package func handlerURL(of provider: ProviderSettings? = nil) -> String {
        pagesURL + handlerPath(of: provider)
    }

    package func handlerPath(of provider: ProviderSettings?) -> String {
        "/__/auth/handler" + (provider.map { $0.hasOwnCallback ? "/" + $0.id : "" } ?? "")
    }

    /// Whether `address` (without its query) is one at which SDKs look for results of this project.
    package func isHandler(_ address: UTF8Text, of site: Site) -> Bool {
        [pagesURL, site.publicURL].contains { base in Self.resultPaths.contains { address == base + $0 } }
    }

    private static let resultPaths = [
        "/__/auth/handler", "/__/auth/callback", "/emulator/auth/handler", "/emulator/auth/callback",
    ]

    /// The same project with other settings, which must not change anything that its discovery document says, or with other tenants.
    init(
        _ project: Project, with settings: ProjectSettings? = nil, tenants: Tenants? = nil,
        entriesOfCalls: [String: [ProviderEntry]]? = nil
    ) {
        self.settings = settings ?? project.settings
        inherited = project.inherited
        self.entriesOfCalls = entriesOfCalls ?? project.entriesOfCalls
        self.tenants = tenants ?? project.tenants
        configuredProviders = project.configuredProviders
        providers = project.providers
        namedProviders = project.namedProviders
        fileName = project.fileName
        templates = project.templates
        isMadeOnTheFly = project.isMadeOnTheFly
        serverURL = project.serverURL
        openIDProvider = project.openIDProvider
        discovery = project.discovery
    }

    /// A tenant of `project`, which has the same pages and the same keys.
    package init(
        tenant settings: ProjectSettings, providers: [ProviderSettings], inheriting inherited: Set<UTF8Text> = [], templates: Templates,
        of project: Project, file: String? = nil
    ) {
        self.settings = settings
        self.inherited = inherited
        tenants = nil
        entriesOfCalls = [:]
        configuredProviders = providers
        self.providers = Self.switchedOn(providers)
        namedProviders = Self.names(providers)
        fileName = file.map { $0.split(separator: "/").suffix(3).joined(separator: "/") }
        self.templates = templates
        isMadeOnTheFly = project.isMadeOnTheFly
        serverURL = project.serverURL
        openIDProvider = PublishedIssuers(settings, publicURL: project.serverURL, languages: templates.languages)
        discovery = openIDProvider?.native.document ?? project.discovery
    }

    private static func switchedOn(_ providers: [ProviderSettings]) -> [UTF8Text: ProviderSettings] {
        Dictionary(providers.filter(\.enabled).map { (UTF8Text($0.id), $0) }, uniquingKeysWith: { first, _ in first })
    }

    private static func names(_ providers: [ProviderSettings]) -> Set<UTF8Text> { Set(providers.map { UTF8Text($0.id) }) }

    /// The same with these tenants.
    package func having(_ tenants: Tenants?) -> Project { Project(self, tenants: tenants) }

    /// The same project, which signs its ID tokens and believes only signed ones.
    package var signingTokens: Project {
        var signing = settings
        signing.tokens.unsigned = false
        return Project(self, with: signing)
    }

    /// Whether the page at this address may start and receive sign-ins: it is over https or on a loopback host, and its host is authorized.
    package func authorizes(_ page: URI) -> Bool { page.isTrustworthy && authorizes(host: page.host) }

    /// Whether pages of `host` may start and receive sign-ins.
    package func authorizes(host: String) -> Bool { settings.authorizes(host: host) }
}
