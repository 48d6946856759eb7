package import Config
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
        UserFlowChecks.check(settings, providers, section)
        section.finish()
        return Project(settings: settings, providers: providers, publicURL: publicURL, templates: templates, file: section.file)
    }
}
