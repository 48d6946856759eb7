import Accounts
import Config
import FoundationEssentials
import HTTP
import Text
import Web

/// The look and the settings of a project's mails and pages: `branding` and `mail` in its file.
enum ProjectMail {
    static func read(_ section: Section, branding: Branding, development: Bool) -> (ProjectSettings.Mailing, Templates) {
        var mailing = ProjectSettings.Mailing()
        mailing.from = section.mailbox("from")
        mailing.replyTo = section.mailbox("replyTo")
        mailing.actionURL = section.value(
            "actionURL", expected: "an https URL without query and fragment, the page that handles the links in mails"
        ) {
            guard let uri = URI.parse($0), uri.query == nil, uri.fragment == nil, uri.isSecure || development && uri.isLoopback else {
                return nil
            }
            return uri.description
        }
        let templates = section.has("templates") ? folder(section, branding) : Templates(branding: branding)
        section.finish()
        if !templates.languages.contains(branding.language) {
            section.fault(
                "templates",
                "has no words in \(branding.language), which branding.language asks for; it has \(templates.languages.joined(separator: ", "))"
            )
        }
        return (mailing, templates)
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

extension Branding {
    init(_ section: Section, name: String) {
        self.init(name: section.string("name") ?? name)
        accent = section.value("accent", expected: "a colour such as \"#2f5bea\", in quotation marks", Accent.read) ?? accent
        language =
            section.value("language", expected: "a language's tag, such as en or pt-BR") { Language.isTag($0.utf8) ? $0 : nil } ?? language
        section.finish()
    }
}
