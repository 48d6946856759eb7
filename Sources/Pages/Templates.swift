package import Accounts
package import Config
import Crypto
package import HTTP
package import JSON
package import ProjectSettings
import Runtime
package import Text

/// Renders mails and pages for the users of one project, in their language, with the project's name and colour.
///
/// Made at start from `TemplateFiles`; rendering does no I/O and cannot fail. Values are plain text and are escaped here, before any
/// template gets them, so that no template of a project can let one through unescaped.
package struct Templates: Sendable {
    package private(set) var branding: Branding
    /// Tags of the languages that exist.
    package let languages: [String]
    private let files: TemplateFiles
    private let style: String
    private let styleHash: String
    /// The logo as an address that has the picture inside.
    private let logo: String?

    /// For pages that belong to no project.
    package static let standard = Templates(branding: Branding(name: ""))

    package init(branding: Branding) { self.init(branding: branding, files: .standard) }

    /// With the project's own files in place of those in the binary. What is wrong with them is reported in `faults`.
    package init(branding: Branding, folder: String, names: [String], faults: Faults) {
        self.init(branding: branding, files: TemplateFiles.standard.overridden(by: folder, names: names, faults: faults))
    }

    /// Those of `other` under another name; what the two look alike in, they share.
    private init(branding: Branding, like other: Templates) {
        guard branding.accent == other.branding.accent, branding.logo == other.branding.logo else {
            self.init(branding: branding, files: other.files)
            return
        }
        self = other
        self.branding = branding
    }

    /// The same under another name and look.
    package func named(_ branding: Branding) -> Templates { Templates(branding: branding, like: self) }

    private init(branding: Branding, files: TemplateFiles) {
        self.branding = branding
        self.files = files
        languages = files.words.keys.sorted()
        style = ":root{--accent:\(branding.accent);--on-accent:\(Accent.text(on: branding.accent))}\n" + files.style
        styleHash = PagePolicy.hash(style)
        logo = branding.logo.map { "data:\($0.mediaType);base64,\(Base64.encode($0.bytes))" }
    }

    /// The language for the sender of `request`; see `Language`.
    package func language(for request: Request, preferred: [UTF8Text] = [], parameter: String? = nil) -> String {
        let standard = languages.contains(branding.language) ? branding.language : "en"
        return Language.choose(from: languages, for: request, preferred: preferred, parameter: parameter, otherwise: standard)
    }

    /// The page `page.<name>.html`, complete with the headers that make it safe.
    ///
    /// - Parameters:
    ///   - language: one of `languages`.
    ///   - values: the values that the template uses; `words.…`, `project`, `language` and the style are always there.
    ///   - policy: what the page may do besides being read.
    ///   - script: the address of a script of this server; goes with `PagePolicy.scripts`.
    ///   - data: the values that the script needs; it finds them as JSON in the element `data`.
    ///   - moreStyle: rules behind those of the style. No part of them may come from a request.
    ///   - schemes: those of the addresses that an answer to a form may redirect to; goes with `PagePolicy.forms`.
    ///   - guest: a script of another server that the page loads; goes with `PagePolicy.scripts`.
    package func page(
        _ name: String, in language: String, _ values: [String: TemplateValue] = [:], status: Int = 200, allowing policy: PagePolicy = [],
        script: String? = nil, data: JSON? = nil, moreStyle: String = "", redirectsTo schemes: [String] = [], guest: GuestScript? = nil
    ) -> Response {
        let values = values.merging(common(language)) { own, _ in own }
        let plain = values.prepared { $0 }
        var prepared = values.prepared(HTML.escaped) { word, own in
            self.word(word, "page.\(name)", language, plain.merging(own.prepared { $0 }) { _, own in own })
        }
        prepared.add(words("page.\(name)", language, plain), HTML.escaped)
        // The style does not come from a request, and escaping it would change the bytes that the policy has the hash of.
        prepared["style"] = .text(style + moreStyle)
        prepared["logo"] = logo.map { .text($0) }
        prepared["script"] = script.map { .text(HTML.escaped($0)) }
        prepared["data"] = data.map { .text(HTML.island($0)) }
        let html = render("page.\(name)", "html", language, prepared) ?? ""
        let styleHash = moreStyle.isEmpty ? styleHash : PagePolicy.hash(style + moreStyle)
        return Response(
            status: status, headers: policy.headers(styleHash: styleHash, redirectsTo: schemes, hasLogo: logo != nil, guest: guest),
            body: Array(html.utf8))
    }

    /// A mail as text and HTML.
    package struct Mail: Sendable, Equatable {
        package let subject: String
        package let text: String
        package let html: String
    }

    /// - Parameter providerName: the name of the provider that the mail is about; `nil` where the project does not have it any more.
    package func mail(_ mail: OutgoingMail, providerName: String? = nil) -> Mail {
        let name = "mail.\(mail.kind.rawValue)"
        let language = languages.contains(mail.language) ? mail.language : "en"
        var values: [String: TemplateValue] = [
            "email": .text(mail.to), "newEmail": .text(mail.newEmail), "link": .text(mail.link), "code": .text(mail.oneTimeCode),
            "displayName": .text(mail.displayName.flatMap(Self.greetable)),
            "provider": .text(
                mail.providerID.map { providerName ?? ($0 == "phone" ? word("phone", name, language, Template.Values()) : nil) ?? $0 }),
            "time": .text(mail.happenedAt.map { Timestamp.minute(Instant(seconds: $0)) }),
        ]
        values.merge(common(language)) { own, _ in own }
        var plain = values.prepared { $0 }
        let words = words(name, language, plain)
        plain.add(words) { $0 }
        let subject = HTML.singleLine(render("\(name).subject", "txt", language, plain) ?? words["subject"] ?? "")
        var escaped = values.prepared(HTML.escaped)
        escaped.add(words, HTML.escaped)
        escaped["subject"] = .text(HTML.escaped(subject))
        return Mail(
            subject: subject, text: render(name, "txt", language, plain) ?? files.render("mail.txt", plain) ?? "",
            html: render(name, "html", language, escaped) ?? files.render("mail.html", escaped) ?? "")
    }

    /// The name if it looks like a name; otherwise `nil`. A person who signs up with the address of another person writes the name, and
    /// must not be able to send that person a message through this server.
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

    /// The words of the template, in English where the language does not have them; not escaped.
    private func words(_ name: String, _ language: String, _ values: Template.Values) -> [String: String] {
        let kind = name.prefix { $0 != "." } + ".common"
        var words: [String: String] = [:]
        for language in ["en", language] {
            for group in [String(kind), name] {
                words.merge(files.words[language]?.value.say(group, values) ?? [:]) { _, new in new }
            }
        }
        return words
    }

    /// One word of the template, as `words` finds it.
    func word(_ word: String, _ name: String, _ language: String, _ values: Template.Values) -> String? {
        let kind = name.prefix { $0 != "." } + ".common"
        for language in [language, "en"] {
            for group in [name, String(kind)] {
                if let said = files.words[language]?.value.say(word, of: group, values) { return said }
            }
        }
        return nil
    }

    /// The file of this name for the language, or for all languages; `nil` when neither exists.
    private func render(_ name: String, _ part: String, _ language: String, _ values: Template.Values) -> String? {
        files.render("\(name).\(language).\(part)", values)
            ?? files.render("\(name).\(part)", values)
    }
}

extension Template.Values {
    /// Adds the words of a template, which it calls `words.<name>`.
    fileprivate mutating func add(_ words: [String: String], _ escape: (String) -> String) {
        for (name, word) in words { self["words.\(name)"] = .text(escape(word)) }
    }
}
