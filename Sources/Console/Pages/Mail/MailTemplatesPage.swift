import Accounts
import Pages
import ProjectSettings
import Projects
import Providers
import Text
import Web

/// The kinds of mails of a project, each with its subject and the languages in which it can be looked at.
struct MailTemplatesPage: ConsolePage {
    static let path = "/projects/{project}/mail/templates"
    static let place = ConsolePlace.mail

    func callAsFunction(_ visit: ConsoleVisit) async throws -> ConsoleView {
        let project = try visit.project
        let standard = project.settings.branding.language
        let rows = try OutgoingMail.Kind.allCases.map { kind -> [String: TemplateValue] in
            let subject = try visit.rendered(try visit.sample(kind, in: standard)).subject
            let languages = try project.templates.languages.map { language -> [String: TemplateValue] in
                ["mailLanguage": .text(language), "preview": .text(try MailPreviewPage.link(kind, in: language, visit))]
            }
            return ["mailKind": .text(kind.rawValue), "mailSubject": .text(subject), "languages": .list(languages)]
        }
        return ConsoleView(
            "mailTemplates", ["mails": .list(rows), "standard": .text(standard)],
            path: [ConsoleView.Crumb(name: .word("placeMail"), link: try visit.projectLink("/mail"))])
    }
}

/// A kind of mail in one language, as the path of a page names them.
struct NamedMail {
    let kind: OutgoingMail.Kind
    let language: String

    /// Throws "not found" for a kind or a language that the project does not have.
    init(_ visit: ConsoleVisit) throws {
        let kind = OutgoingMail.Kind.allCases.first { UTF8Text($0.rawValue) == visit.parameter("kind") }
        let language = try visit.project.templates.languages.first { UTF8Text($0) == visit.parameter("language") }
        guard let kind, let language else { throw Failure.notFound }
        (self.kind, self.language) = (kind, language)
    }
}

/// A mail in the words of its project, as a page shows it.
struct ShownMail {
    let subject: String
    let text: String
    let html: String
}

extension ConsoleVisit {
    /// A mail of the project with made-up values.
    func sample(
        _ kind: OutgoingMail.Kind, in language: String, to address: String = SampleMails.address
    ) throws -> OutgoingMail {
        let project = try project
        return accounts.operators.sampleMails.sample(
            kind, to: address, language: language, provider: project.orderedProviders.first?.id, in: project.settings)
    }

    /// The mail in the words of the project, as the mail server gets it; but a character that cannot be seen stands in subject and text as its
    /// code point.
    func rendered(_ mail: OutgoingMail) throws -> ShownMail {
        let project = try project
        let rendered = project.templates.mail(mail, providerName: mail.providerID.flatMap(project.name(ofProvider:)))
        let lines = rendered.text.split(separator: "\n", omittingEmptySubsequences: false).map { Self.inert(String($0)) }
        return ShownMail(subject: Self.inert(rendered.subject), text: lines.joined(separator: "\n"), html: rendered.html)
    }
}
