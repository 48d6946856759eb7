package import Config
import HTTP
import Pages
import ProjectSettings
import Providers

/// One project's file: `config/projects/<project>.yaml`.
package enum ProjectFile {
    /// - Parameters:
    ///   - development: whether the server is in development mode.
    ///   - publicURL: the server's.
    package static func read(_ section: Section, development: Bool, publicURL: String) -> Project {
        let mail = section.section("mail")
        let settings = ProjectSettings(section, mail: mail, development: development, publicURL: publicURL)
        let providers = section.sections("providers").compactMap { id, entry in
            ProviderSettings(id: id, section: entry, allowInsecure: development)
        }
        let templates = ProjectTemplates.read(mail, branding: settings.branding)
        section.finish()
        let project = Project(settings: settings, providers: providers.filter(\.enabled), publicURL: publicURL, templates: templates)
        checkRedirectURLs(of: project, section)
        return project
    }

    private static func checkRedirectURLs(of project: Project, _ section: Section) {
        for url in project.settings.redirectURLs {
            if url.utf8.contains(UInt8(ascii: "*")) {
                section.fault("redirectURLs", "\(url) has a *, which stands for itself here, so no page can match; write out each address")
            } else if let host = URI.parse(url)?.host, !project.authorizes(host: host) {
                section.note("redirectURLs", "\(url) is on \(host), which is not among authorizedDomains; add the host if it is the app's")
            }
        }
    }
}
