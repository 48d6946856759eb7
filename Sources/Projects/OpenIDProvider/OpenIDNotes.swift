import ProjectSettings
import Text

/// Notes of `gatehouse check` on what relying parties are to be given.
package enum OpenIDNotes {
    /// The issuer of the project's OpenID provider, and the discovery document of each of its user flows; none when it is not a provider.
    package static func of(_ project: Project, publicURL: String) -> [String] {
        guard let provider = project.openIDProvider, let settings = project.settings.openIDProvider else { return [] }
        let flows = settings.userFlows.map { flow in
            let address = "\(publicURL)/\(project.settings.addressName)/\(flow.name)/v2.0/.well-known/openid-configuration"
            let issuer = provider.issuer(ofUserFlow: UTF8Text(flow.name))?.urls.issuer ?? ""
            return "openIDProvider  the discovery document of \(flow.name) is \(address), its issuer \(issuer)"
        }
        return ["openIDProvider  the issuer to give to relying parties is \(provider.native.urls.issuer)"] + flows
    }
}
