import Config
import FoundationEssentials
import Pages
import ProjectSettings

/// The look of a project's mails and pages: `templates`, in the section `mail` of its file.
enum ProjectTemplates {
    static func read(_ section: Section, branding: Branding) -> Templates {
        let templates = section.has("templates") ? folder(section, branding) : Templates(branding: branding)
        section.finish()
        if !templates.languages.contains(branding.language) {
            section.fault(
                "templates",
                "has no texts in \(branding.language), which is branding.language; it has \(templates.languages.joined(separator: ", "))"
            )
        }
        return templates
    }

    private static func folder(_ section: Section, _ branding: Branding) -> Templates {
        let folder = section.path("templates", default: "")
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            section.fault("templates", "the folder \(folder) cannot be read")
            return Templates(branding: branding)
        }
        return Templates(branding: branding, folder: folder, names: names, faults: section.faults)
    }
}
