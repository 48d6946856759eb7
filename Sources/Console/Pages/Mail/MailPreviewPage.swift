import Accounts
import HTTP
import Pages
import ProjectSettings
import Projects
import Text
import Web

/// One kind of mail in one language: its subject, its HTML part in a frame, and its text part.
struct MailPreviewPage: ConsolePage {
    static let path = "/projects/{project}/mail/templates/{kind}/{language}"
    static let place = ConsolePlace.mail

    func callAsFunction(_ visit: ConsoleVisit) async throws -> ConsoleView {
        let named = try NamedMail(visit)
        let rendered = try visit.rendered(try visit.sample(named.kind, in: named.language))
        let page = try Self.link(named.kind, in: named.language, visit)
        var values: [String: TemplateValue] = [
            "mailKind": .text(named.kind.rawValue), "mailLanguage": .text(named.language), "mailSubject": .text(rendered.subject),
            "mailText": .text(rendered.text), "frame": .text("\(page)/html"),
        ]
        if visit.may(SendSampleMail.role) {
            switch SendSampleMail.missing(visit) {
            case nil: values["send"] = .text("\(page)/send")
            case .mail?: values["obstacle"] = .word("noMail")
            case .address?: values["obstacle"] = .word("noOwnAddress")
            }
        }
        return ConsoleView("mailPreview", values, path: try Self.path(above: visit), framesOwn: true)
    }

    static func link(_ kind: OutgoingMail.Kind, in language: String, _ visit: ConsoleVisit) throws -> String {
        try visit.projectLink("/mail/templates/\(kind.rawValue)/\(language)")
    }

    /// The pages above that of a mail.
    static func path(above visit: ConsoleVisit) throws -> [ConsoleView.Crumb] {
        [
            ConsoleView.Crumb(name: .word("placeMail"), link: try visit.projectLink("/mail")),
            ConsoleView.Crumb(name: .word("placeMailTemplates"), link: try visit.projectLink("/mail/templates")),
        ]
    }
}

/// The HTML part of a mail, for the frame of `MailPreviewPage`.
///
/// It is a document of the project's, not of the console's: it runs nothing, loads nothing, not even its pictures, has an origin of its own, and
/// its links lead nowhere, since the frame's page permits frames of the console alone, which are not shown there. Opened by itself, where its links
/// would lead on, it is not there.
struct MailPreviewFrame: ConsolePart {
    static let path = "/projects/{project}/mail/templates/{kind}/{language}/html"
    static let place = ConsolePlace.mail

    func answer(_ visit: ConsoleVisit) async throws -> Response {
        guard visit.context.request.headers["sec-fetch-dest"] == "iframe" else { throw Failure.notFound }
        let named = try NamedMail(visit)
        let html = try visit.rendered(try visit.sample(named.kind, in: named.language)).html
        return Response(
            headers: [
                "content-type": "text/html; charset=utf-8",
                // Mails have their style at each element.
                "content-security-policy":
                    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox",
                "x-frame-options": "SAMEORIGIN", "cache-control": "no-store", "referrer-policy": "no-referrer",
                "x-content-type-options": "nosniff", "cross-origin-resource-policy": "same-origin",
            ], body: Array(html.utf8))
    }
}
