package import Accounts
package import Config
package import HTTP
package import JSON
import Runtime
import Text

/// Renders what people of one project read: mails and pages, in their language, with the project's name and colour.
///
/// Made at start from `TemplateFiles`; rendering does no I/O and cannot fail. Values are plain text and are escaped here, before any
/// template sees them, so that no template of a project can let one through unescaped.
package struct Templates: Sendable {
    package let branding: Branding
    private let files: TemplateFiles
    private let style: String
    private let styleHash: String

    /// For pages that belong to no project.
    package static let standard = Templates(branding: Branding(name: ""))

    package init(branding: Branding) { self.init(branding: branding, files: .standard) }

    /// With the project's own files in place of those that come with the program. What is wrong with them is told in `faults`.
    package init(branding: Branding, folder: String, names: [String], faults: Faults) {
        self.init(branding: branding, files: TemplateFiles.standard.overridden(by: folder, names: names, faults: faults))
    }

    private init(branding: Branding, files: TemplateFiles) {
        self.branding = branding
        self.files = files
        style = ":root{--accent:\(branding.accent);--on-accent:\(Accent.text(on: branding.accent))}\n" + files.style
        styleHash = PagePolicy.hash(style)
    }

    /// Tags of the languages that are spoken.
    package var languages: [String] { files.words.keys.sorted() }

    /// The language for the sender of `request`; see `Language`.
    package func language(for request: Request, parameter: String? = nil) -> String {
        let standard = languages.contains(branding.language) ? branding.language : "en"
        return Language.choose(from: languages, for: request, parameter: parameter, otherwise: standard)
    }

    /// The page `page.<name>.html`, complete with the headers that make it safe.
    ///
    /// - Parameters:
    ///   - language: one of `languages`.
    ///   - values: what the template asks for by these names; `words.…`, `project`, `language` and the style are there already.
    ///   - policy: what the page may do besides being read.
    ///   - script: the address of a script of this server; goes with `PagePolicy.scripts`.
    ///   - data: what the script must know; it finds it as JSON in the element `data`.
    package func page(
        _ name: String, in language: String, _ values: [String: TemplateValue] = [:], status: Int = 200, allowing policy: PagePolicy = [],
        script: String? = nil, data: JSON? = nil
    ) -> Response {
        let values = values.merging(common(language)) { own, _ in own }
        var prepared = values.prepared(HTML.escaped)
        prepared["words"] = words("page.\(name)", language, values.prepared { $0 }).mapValues(HTML.escaped)
        // Nothing of it comes from a request, and escaped it would not be what the policy has the hash of.
        prepared["style"] = style
        prepared["script"] = script.map(HTML.escaped)
        prepared["data"] = data.map(HTML.island)
        let html = render("page.\(name)", "html", language, prepared) ?? ""
        return Response(status: status, headers: policy.headers(styleHash: styleHash), body: Array(html.utf8))
    }

    /// A letter in its words.
    package struct Mail: Sendable, Equatable {
        package let subject: String
        package let text: String
        package let html: String
    }

    /// - Parameter providerName: of the provider that the letter tells of; `nil` where the project has it no more.
    package func mail(_ letter: Letter, providerName: String? = nil) -> Mail {
        let name = "mail.\(letter.kind.rawValue)"
        let language = languages.contains(letter.language) ? letter.language : "en"
        var values: [String: TemplateValue] = [
            "email": .text(letter.to), "newEmail": .text(letter.newEmail), "link": .text(letter.link),
            "displayName": .text(letter.displayName.flatMap(Self.greetable)),
            "provider": .text(letter.providerID.map { providerName ?? $0 }),
            "time": .text(letter.happenedAt.map { Timestamp.minute(Instant(seconds: $0)) }),
        ]
        values.merge(common(language)) { own, _ in own }
        var plain = values.prepared { $0 }
        let words = words(name, language, plain)
        plain["words"] = words
        let subject = HTML.singleLine(render("\(name).subject", "txt", language, plain) ?? words["subject"] ?? "")
        var escaped = values.prepared(HTML.escaped)
        escaped["words"] = words.mapValues(HTML.escaped)
        escaped["subject"] = HTML.escaped(subject)
        return Mail(
            subject: subject, text: render(name, "txt", language, plain) ?? files.render("mail.txt", plain) ?? "",
            html: render(name, "html", language, escaped) ?? files.render("mail.html", escaped) ?? "")
    }

    /// The name if it can only be a name. A person who signs up with somebody else's address writes it, and must not get to write
    /// that person a message of their own through us.
    static func greetable(_ name: String) -> String? {
        let isName =
            name.unicodeScalars.count <= 40
            && name.unicodeScalars.allSatisfy { $0 == " " || "-'’·".unicodeScalars.contains($0) || $0.properties.isAlphabetic }
        return isName ? name : nil
    }

    private func common(_ language: String) -> [String: TemplateValue] {
        [
            "project": .text(branding.name), "language": .text(language), "accent": .text(branding.accent),
            "onAccent": .text(Accent.text(on: branding.accent)),
        ]
    }

    /// What the template says, in English where the language has no word for it; not escaped.
    private func words(_ name: String, _ language: String, _ values: [String: Any]) -> [String: String] {
        let kind = name.prefix { $0 != "." } + ".common"
        var words: [String: String] = [:]
        for language in ["en", language] {
            for group in [String(kind), name] {
                words.merge(files.words[language]?.say(group, values) ?? [:]) { _, new in new }
            }
        }
        return words
    }

    /// The file of this name for the language, or for all languages; `nil` when there is neither.
    private func render(_ name: String, _ part: String, _ language: String, _ values: [String: Any]) -> String? {
        files.render("\(name).\(language).\(part)", values)
            ?? files.render("\(name).\(part)", values)
    }
}
