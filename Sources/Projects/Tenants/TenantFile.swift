package import Config
import Pages
import ProjectSettings
import Providers
import Text

/// One tenant's file: `config/projects/<project>/tenants/<tenant>.yaml`. What it takes from its project, it names under `inherit`.
///
/// ```yaml
/// displayName: Customer A
/// inherit: [mail, providers.google.com]
/// signIn: {password: true}
/// ```
package enum TenantFile {
    /// The name of the file, beside the folder `tenants`, from which tenants are made that calls create.
    package static let template = "template.yaml"

    /// - Parameters:
    ///   - id: what the file is named after.
    ///   - project: the tenant's, whose own file has no fault.
    package static func read(
        _ id: String, _ section: Section, of project: Project, development: Bool, publicURL: String
    ) -> Project {
        let inherited = Inheritance(section, of: project)
        let mail = section.section("mail")
        let settings = ProjectSettings(
            tenant: id, section, of: project.settings, inheriting: inherited.settings, mail: mail, development: development,
            publicURL: publicURL)
        let own = section.sections("providers").compactMap { id, entry in
            ProviderSettings(id: id, section: entry, allowInsecure: development)
        }
        for provider in own where inherited.providers.contains(where: { $0.id == provider.id }) {
            section.section("providers").fault(provider.id, "is among inherit, too; write it here, or take it from the project")
        }
        let templates = templates(mail, settings, inherited, of: project)
        section.finish()
        return Project(
            tenant: settings, providers: inherited.providers + own, inheriting: Set(inherited.providers.map { UTF8Text($0.id) }),
            templates: templates, of: project, file: section.file)
    }

    /// Those of the project, with the tenant's name and look, where the tenant takes its mails from the project.
    private static func templates(
        _ mail: Section, _ settings: ProjectSettings, _ inherited: Inheritance, of project: Project
    ) -> Templates {
        guard inherited.settings.contains(.mail) else { return ProjectTemplates.read(mail, branding: settings.branding) }
        return project.templates.named(settings.branding)
    }
}

/// The parts that a tenant takes from its project: the names under `inherit`.
private struct Inheritance {
    var settings: Set<OwnSetting> = []
    /// In the order of the project's file.
    var providers: [ProviderSettings] = []

    private static let all = "providers"

    init(_ section: Section, of project: Project) {
        let prefix = "\(Self.all)."
        let names = section.values("inherit", expected: "a name that can be taken from the project: \(Self.names)") { name in
            OwnSetting(rawValue: name) != nil || name == Self.all || name.hasPrefix(prefix) ? name : nil
        }
        for name in names where name.hasPrefix(prefix) {
            let id = name.dropFirst(prefix.count)
            if !project.configuredProviders.contains(where: { $0.id == id }) {
                section.fault("inherit", "\(name) is not a provider of the project")
            }
        }
        settings = Set(names.compactMap(OwnSetting.init(rawValue:)))
        providers = project.configuredProviders.filter { names.contains(Self.all) || names.contains(prefix + $0.id) }
    }

    private static let names = (OwnSetting.allCases.map(\.rawValue) + [all, "providers.ID"]).joined(separator: ", ")
}
