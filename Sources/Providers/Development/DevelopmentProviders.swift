package import Text

/// The providers in development mode, those of the catalogue and `oidc.*`, without a client at any of them: what an app or a page
/// of this server says about a person is believed.
///
/// Nothing proves who the person is, so every program that reaches these providers signs in as any person. The value is therefore a
/// permission: `Web/Callers/DevelopmentCaller.swift` alone makes it, for a request that was checked (SEC-22). No other way leads to a
/// provider of this kind, since no configuration does.
package struct DevelopmentProviders: Sendable {
    /// The path of the page that takes the place of a provider's own.
    package static let pagePath = "/__/auth/development"
    /// The issuer of everyone who was made up. An entry in a project's file has another one, so no made-up person is ever one of a real
    /// provider's.
    package static let issuer = "development"

    private let page: String
    private let configured: Set<UTF8Text>

    /// - Parameters:
    ///   - page: the address of that page, as the browser of the request reaches it.
    ///   - configured: the ids of the providers that the project's file names, which are not believed without proof.
    package init(believingEveryClaimAt page: String, except configured: Set<UTF8Text>) {
        self.page = page
        self.configured = configured
    }

    /// Every provider that the project's file does not name.
    package var all: [ProviderSettings] {
        Provider.catalog.filter { !configured.contains(UTF8Text($0.id)) }.map(settings)
    }

    /// The provider of this id; `nil` when the project's file names it, and for an id that no provider can have.
    package func provider(_ id: UTF8Text) -> ProviderSettings? {
        guard !configured.contains(id) else { return nil }
        return Provider.named(id.asString).map(settings)
    }

    private func settings(_ provider: Provider) -> ProviderSettings {
        var settings = ProviderSettings(
            id: provider.id, name: provider.name, clientID: provider.id, clientSecret: nil, scopes: provider.scopes,
            protocol: .development(DevelopmentProvider(page: page, addition: provider.development)))
        // The page gives no code that another program could redeem.
        settings.usesPKCE = false
        return settings
    }
}
