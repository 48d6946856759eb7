import Config
import Pages
import ProjectSettings

/// The look of a project's mails and pages: `templates`, in the section `mail` of its file.
enum ProjectTemplates {
    static func read(_ section: Section, branding: Branding) -> Templates {
        let templates =
            section.folder("templates").map { Templates(branding: branding, folder: $0.path, names: $0.names, faults: section.faults) }
            ?? Templates(branding: branding)
        section.finish()
        if !templates.languages.contains(branding.language) {
            section.fault(
                "templates",
                "has no texts in \(branding.language), which is branding.language; it has \(templates.languages.joined(separator: ", "))"
            )
        }
        return templates
    }
}
