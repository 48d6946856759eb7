import HTTP
package import ProjectSettings
package import Projects
import Text
import Web

/// The provider that a request is for: what its path and query say of the project, of the shape of the address and of the user flow.
///
/// | Path | Query | Means |
/// |---|---|---|
/// | `/{project}/oauth2/…`, `/{project}/.well-known/…` | | the project |
/// | `/{directory}/{policy}/…` | | a user flow, in the shape of Azure AD B2C |
/// | `/{directory}/…/v2.0/…` | `p={policy}` | the same in its older form |
/// | `/te/{directory}/…`, `/tfp/{directory}/…` | | the same |
/// | `/.well-known/oauth-authorization-server/…` | | an issuer, by RFC 8414 §3.1 |
///
/// A directory, which B2C also calls a tenant, is named by the id of a project, or by the directory's own id or one of its names. Directories and
/// policies are compared without regard to case.
/// <https://learn.microsoft.com/azure/active-directory-b2c/openid-connect>
package struct IssuerAddress: Sendable {
    package let project: Project
    /// `nil` in the shape of the project itself.
    package let userFlow: UserFlow?
    /// The endpoints and the issuer, in their canonical spelling.
    package let urls: IssuerURLs
    /// The discovery document.
    let document: [UInt8]

    private init(_ project: Project, _ issuer: PublishedIssuers.Issuer) {
        self.project = project
        userFlow = issuer.userFlow
        urls = issuer.urls
        document = issuer.document
    }

    /// The provider of the project itself; `nil` when the project is not a provider.
    package init?(of project: Project) {
        guard let provider = project.openIDProvider else { return nil }
        self.init(project, provider.native)
    }

    /// The provider for a user flow of the project; `nil` when there is no such user flow. Without a user flow, that of the project itself.
    package init?(of project: Project, userFlow name: String?) {
        guard let name else {
            self.init(of: project)
            return
        }
        guard let issuer = project.openIDProvider?.issuer(ofUserFlow: UTF8Text(name)) else { return nil }
        self.init(project, issuer)
    }

    /// Throws `Not Found` when no provider, or no user flow, is at this address, and `INVALID_ARGUMENT` when the address names two.
    init(path: String, query: String, in projects: Projects) throws(Failure) {
        var segments = UTF8Text(path).split { $0 == UInt8(ascii: "/") }[...]
        if segments.starts(with: [".well-known", "oauth-authorization-server"]) { segments = segments.dropFirst(2) }
        let prefix = segments.first?.asciiLowercased
        let isPrefixed = prefix == "te" || prefix == "tfp"
        if isPrefixed { segments = segments.dropFirst() }
        guard let directory = segments.popFirst() else { throw .notFound }
        let inPath = segments.first.flatMap { Self.fixedSegments.contains($0) ? nil : $0 }
        guard isPrefixed || inPath != nil || segments.contains("v2.0") else {
            guard let project = projects.realm(addressName: directory), let provider = project.openIDProvider else { throw .notFound }
            self.init(project, provider.native)
            return
        }
        guard let project = projects.realm(directory: directory),
            let policy = try Self.policy(inPath: inPath, query),
            let issuer = project.openIDProvider?.issuer(ofUserFlow: policy)
        else { throw .notFound }
        self.init(project, issuer)
    }

    /// The segments that follow a directory where the path does not name a user flow.
    private static let fixedSegments: Set<UTF8Text> = [".well-known", "discovery", "oauth2", "openid", "v2.0"]

    /// The user flow that the path or `?p=` names.
    private static func policy(inPath: UTF8Text?, _ query: String) throws(Failure) -> UTF8Text? {
        let inQuery = try Form.reading(query).all("p")
        guard inQuery.count <= 1 else { throw .invalidAddress("The address has several user flows (p).") }
        guard let inPath else { return inQuery.first }
        guard inQuery.allSatisfy({ $0.asciiLowercased == inPath.asciiLowercased }) else {
            throw .invalidAddress("The path of the address and its parameter p name different user flows.")
        }
        return inPath
    }
}

extension Context {
    /// The provider that the request is for.
    func issuer(_ request: Request) throws(Failure) -> IssuerAddress {
        try IssuerAddress(path: request.path, query: request.query, in: projects)
    }
}
