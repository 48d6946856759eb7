import Accounts
import Config
import ProjectSettings

/// The texts that mails and pages are made of: those in the binary, and the files of a project that replace some of them.
///
/// The files `words.<language>.yaml` hold the texts, one file a language. The other files hold the layout, in mustache, for all languages
/// or, with the language before the ending, for one. A project's folder holds files of the same names, and each replaces the original;
/// words are replaced one by one. A project's files are read and checked at start; what is wrong in them is a fault of the configuration.
/// Those in the binary are parsed when they are first used, since most servers never need most of them.
struct TemplateFiles: Sendable {
    /// Every mail is one of these; each has words of its own.
    static let mails = OutgoingMail.Kind.allCases.map(\.rawValue)
    /// The values that templates and words of mails may use. Which of them are absent depends on the mail.
    static let mailValues: Set<String> = [
        "project", "language", "accent", "onAccent", "email", "newEmail", "displayName", "link", "code", "subject", "provider", "time",
    ]
    /// The files that stand around others, by the names that templates use for them. `form.html` stands around pages with a form, in
    /// `page.html`.
    private static let layouts = ["page": "page.html", "form": "form.html", "mail": "mail.html"]

    private(set) var words: [String: Lazy<Words>] = [:]
    private(set) var style = EmbeddedTemplates.text(of: "page.css")
    private let pages: [String]
    /// All files but words and style, by file name.
    private var templates: [String: Lazy<Template>] = [:]

    /// The files in the binary.
    static let standard = TemplateFiles()

    private init() {
        let names = EmbeddedTemplates.files.keys
        pages = names.filter { $0.hasPrefix("page.") && $0.hasSuffix(".html") && $0 != "page.html" }.map {
            String($0.dropFirst(5).dropLast(5))
        }
        for name in names where name != "page.css" {
            if let language = Self.language(ofWords: name) {
                words[language] = Lazy { Words(embedded: name) }
            } else {
                templates[name] = .embedded(EmbeddedTemplates.text(of: name))
            }
        }
    }

    /// These texts with a project's own files in their place. What cannot be used is reported in `faults`.
    func overridden(by folder: String, names: [String], faults: Faults) -> TemplateFiles {
        var files = self
        let reference = words["en"]?.value ?? Words()
        // Words first, since they decide which languages exist.
        for name in names.sorted() {
            guard let language = Self.language(ofWords: name) else { continue }
            let section = ConfigFile.read(folder + "/" + name, environment: [:], faults: faults)
            let own = Words(section, reference: reference)
            files.words[language] = Lazy(made: (words[language]?.value ?? Words()).replacing(own))
        }
        for name in names.sorted() where Self.language(ofWords: name) == nil && !name.hasPrefix(".") {
            let path = folder + "/" + name
            guard files.isKnown(name) else {
                files.fault("is not one of the files that mails and pages are made of", path, 0, faults)
                continue
            }
            if let text = ConfigFile.text(of: path, faults: faults) { files.take(name, text, at: path, faults) }
        }
        return files
    }

    /// The text of the file, filled with these values, which must be escaped for it; `nil` when the file does not exist.
    func render(_ name: String, _ values: Template.Values) -> String? {
        templates[name]?.value.render(values) { layout in Self.layouts[layout].flatMap { templates[$0]?.value } }
    }

    private static func language(ofWords name: String) -> String? {
        guard name.hasPrefix("words."), name.hasSuffix(".yaml") else { return nil }
        let tag = String(name.dropFirst(6).dropLast(5))
        return LanguageTag.isWellFormed(tag) ? tag : nil
    }

    /// A file's name without its language: `mail.signIn.html` for `mail.signIn.de.html`.
    private func base(_ name: String) -> String {
        var parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 3, words.keys.contains(String(parts[parts.count - 2])) else { return name }
        parts.remove(at: parts.count - 2)
        return parts.joined(separator: ".")
    }

    private func isKnown(_ name: String) -> Bool {
        let base = base(name)
        if ["page.css", "mail.txt"].contains(name) || Self.layouts.values.contains(name) { return true }
        if pages.contains(where: { base == "page.\($0).html" }) { return true }
        return Self.mails.contains { mail in ["html", "txt", "subject.txt"].contains { base == "mail.\(mail).\($0)" } }
    }

    private mutating func take(_ name: String, _ text: String, at path: String, _ faults: Faults) {
        if name == "page.css" {
            // It would end the style element, and with it what the page's policy allows by its hash.
            if text.contains("</") || text.contains("<!") { fault("must not hold </ or <!", path, 0, faults) } else { style = text }
            return
        }
        do throws(Template.Problem) {
            let template = try Template(text)
            try check(template, of: name)
            templates[name] = Lazy(made: template)
        } catch {
            fault(error.message, path, error.line, faults)
        }
    }

    private func check(_ template: Template, of name: String) throws(Template.Problem) {
        let isMail = name.hasPrefix("mail.")
        // A project's version of a page may use only the values of the original, and those of its layout.
        let original = Self.original(base(name))
        if let layout = template.layout, !Self.layouts(for: name, original).contains(layout) {
            throw Template.Problem(line: 1, message: "{{<\(layout)}} is not a layout for this file")
        }
        let form = original?.layout == "form" ? Self.original("form.html") : nil
        let own = Set([original, form].compactMap { $0?.values.keys }.joined())
        let known =
            isMail ? Self.mailValues : own.union(["project", "logo", "language", "style", "accent", "onAccent", "script", "data", "."])
        for (value, line) in template.values.sorted(by: { $0.key < $1.key }) where !known.contains(value) {
            guard value.hasPrefix("words.") else {
                throw Template.Problem(
                    line: line,
                    message: "{{\(value)}} is not a value of this file; its values are \(known.sorted().joined(separator: ", "))")
            }
            if !says(value.dropFirst(6), in: name) {
                throw Template.Problem(
                    line: line, message: "{{\(value)}} is not a word of this file; words.en.yaml lists all words")
            }
        }
    }

    /// The file of this name in the binary.
    private static func original(_ name: String) -> Template? { standard.templates[name]?.value }

    /// The layouts that may stand around a file.
    private static func layouts(for name: String, _ original: Template?) -> [String] {
        if name == "form.html" { return ["page"] }
        if layouts.values.contains(name) { return [] }
        if name.hasPrefix("mail.") { return ["mail"] }
        return original?.layout == "form" ? ["form", "page"] : ["page"]
    }

    /// Whether the reference has the word for this file: among the words of the mail or page, or among those that all of its kind share. A
    /// layout serves all of a kind, and may use any of their words.
    private func says(_ word: Substring, in name: String) -> Bool {
        let file = base(name).split(separator: ".")
        let kind = file[0] == "mail" ? "mail" : "page"
        let owner = file.count > 2 ? file[1] : nil
        return words["en"]?.value.names.contains { known in
            let parts = known.split(separator: ".")
            return parts.count == 3 && parts[0] == kind && parts[2] == word
                && (owner == nil || parts[1] == owner || parts[1] == "common")
        } ?? false
    }

    private func fault(_ message: String, _ path: String, _ line: Int, _ faults: Faults) {
        faults.add(Fault(file: path, line: line, column: line > 0 ? 1 : 0, path: "", message: message))
    }
}
