package import ProjectSettings
package import Text

/// An OpenID provider as its endpoints serve it: the addresses and the discovery document of the project and of each of its user flows, made
/// once when the project's file is read.
package struct PublishedIssuers: Sendable {
    /// One issuer, with its addresses and the bytes of its discovery document.
    package struct Issuer: Sendable {
        /// `nil` for the issuer of the project itself.
        package let userFlow: UserFlow?
        package let urls: IssuerURLs
        package let document: [UInt8]
    }

    package let native: Issuer
    /// By the name of the user flow, in lower case.
    private let flows: [UTF8Text: Issuer]

    /// `nil` when the project is not an OpenID provider.
    init?(_ project: ProjectSettings, publicURL: String, languages: [String]) {
        guard let settings = project.openIDProvider else { return nil }
        let urls = IssuerURLs(of: project, publicURL: publicURL)
        native = Issuer(
            userFlow: nil, urls: urls,
            document: IssuerMetadataDocument.bytes(urls, of: project, languages: languages, isFlow: false))
        let flows = settings.userFlows.map { flow in
            let urls = IssuerURLs(of: flow, in: project, publicURL: publicURL)
            let document = IssuerMetadataDocument.bytes(urls, of: project, languages: languages, isFlow: true)
            return (UTF8Text(flow.name).asciiLowercased, Issuer(userFlow: flow, urls: urls, document: document))
        }
        self.flows = Dictionary(flows, uniquingKeysWith: { first, _ in first })
    }

    /// `iss` of the tokens of its user flows.
    package var flowIssuers: [String] { flows.values.map(\.urls.issuer) }

    /// The issuer of the user flow with this name, in any case.
    package func issuer(ofUserFlow name: UTF8Text) -> Issuer? { flows[name.asciiLowercased] }
}
