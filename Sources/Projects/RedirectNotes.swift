import HTTP
import ProjectSettings
import Providers

/// Notes of `gatehouse check` on redirects that are configured without a fault, and still may not work as the operator expects.
package enum RedirectNotes {
    /// The redirect URIs to register with providers, and the domains to which redirects cannot bring a result back.
    package static func of(_ project: Project, development: Bool) -> [String] {
        let callbacks = project.providers.values.sorted { $0.id < $1.id }.map { provider in
            "\(provider.id)  the redirect URI to register is \(project.handlerURL(of: provider))"
        }
        guard let pages = URI.parse(project.pagesURL)?.host else { return callbacks }
        let isRelated = project.settings.authorizedDomains.contains { site(of: $0) == site(of: pages) }
        if let own = project.settings.redirect.publicURL, !isRelated {
            return callbacks + [
                "\(own)  (redirect.publicURL) is not on the site of an authorized domain; it should be the app's own host, which forwards /__/auth/"
            ]
        }
        // In development mode, results come back to every name of this machine.
        guard !development, !project.settings.redirect.returnToken else { return callbacks }
        let elsewhere = project.settings.authorizedDomains.filter { site(of: $0) != site(of: pages) }.map { domain in
            "\(domain)  is on another site than \(pages): popups work there, but browsers do not give the results of redirects to the app "
                + "(see redirect.publicURL, redirect.returnToken)"
        }
        return callbacks + elsewhere
    }

    /// The site of an authorized domain.
    private static func site(of domain: String) -> String { PublicSuffix.site(of: AuthorizedDomain.host(of: domain)) }
}
