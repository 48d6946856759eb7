import Accounts
import Config
import Mustache
import ProjectSettings

/// The texts that mails and pages are made of: those in the binary, and the files of a project that replace some of them.
///
/// The files `words.<language>.yaml` hold the texts, one file a language. The other files hold the layout, in mustache, for all languages
/// or, with the language before the ending, for one. A project's folder holds files of the same names, and each replaces the original;
/// words are replaced one by one. All files are read and checked at start; what is wrong in them is a fault of the configuration.
struct TemplateFiles: Sendable {
    /// Every mail is one of these; each has words of its own.
    static let mails = OutgoingMail.Kind.allCases.map(\.rawValue)
    /// The values that templates and words of mails may use. Which of them are absent depends on the mail.
    static let mailValues: Set<String> = [
        "project", "language", "accent", "onAccent", "email", "newEmail", "displayName", "link", "code", "subject", "provider", "time",
    ]
    /// The files that stand around others, by file name, and their names there. `form.html` stands around pages with a form, in `page.html`.
    private static let layouts = ["page.html": "page", "form.html": "form", "mail.html": "mail"]

    private(set) var words: [String: Words] = [:]
    private(set) var style = ""
    private var library = MustacheLibrary()
    private(set) var pages: [String] = []
    /// The tags of the original page of this name. A project's version of the page may use only its values, and those of its layout.
    private var pageTags: [String: TemplateTags] = [:]
    /// The values that the layout `form.html` uses.
    private var formValues: Set<String> = []

    /// The files in the binary.
    static let standard = TemplateFiles(embedded: EmbeddedTemplates.files)

    init(embedded files: [String: [UInt8]]) {
        let faults = Faults()
        let texts = files.mapValues { String(decoding: $0, as: UTF8.self) }
        pages = texts.keys.filter { $0.hasPrefix("page.") && $0.hasSuffix(".html") && $0 != "page.html" }
            .map { String($0.dropFirst(5).dropLast(5)) }.sorted()
        func tags(of name: String) -> TemplateTags? { try? TemplateTags(texts[name] ?? "") }
        for page in pages { pageTags[page] = tags(of: "page.\(page).html") }
        formValues = Set(tags(of: "form.html").map { Array($0.values.keys) } ?? [])
        let reference = Words(ConfigFile.read(text: texts["words.en.yaml"] ?? "", name: "words.en.yaml", faults: faults), nil)
        words["en"] = reference
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) where name != "words.en.yaml" {
            if let language = Self.language(ofWords: name) {
                words[language] = Words(ConfigFile.read(text: text, name: name, faults: faults), reference)
            } else {
                take(name, text, at: name, faults)
            }
        }
        // The files in the binary have no faults; tests make sure of it.
        assert(faults.isEmpty, faults.report())
    }

    /// These texts with a project's own files in their place. What cannot be used is reported in `faults`.
    func overridden(by folder: String, names: [String], faults: Faults) -> TemplateFiles {
        var files = self
        // Words first, since they decide which languages exist.
        for name in names.sorted() {
            guard let language = Self.language(ofWords: name) else { continue }
            let section = ConfigFile.read(folder + "/" + name, environment: [:], faults: faults)
            let own = Words(section, words["en"])
            files.words[language] = (files.words[language] ?? Words()).replacing(own)
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
    func render(_ name: String, _ values: [String: Any]) -> String? {
        library.render(values, withTemplate: Self.layouts[name] ?? name)
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
        if ["page.css", "mail.txt"].contains(name) || Self.layouts[name] != nil { return true }
        if pages.contains(where: { base == "page.\($0).html" }) { return true }
        return Self.mails.contains { mail in ["html", "txt", "subject.txt"].contains { base == "mail.\(mail).\($0)" } }
    }

    private mutating func take(_ name: String, _ text: String, at path: String, _ faults: Faults) {
        if name == "page.css" {
            // It would end the style element, and with it what the page's policy allows by its hash.
            if text.contains("</") || text.contains("<!") { fault("must not hold </ or <!", path, 0, faults) } else { style = text }
            return
        }
        do {
            let tags = try TemplateTags(text)
            try check(tags, of: name)
            // Values are escaped before they get here, once for all templates, so the engine must not escape them again.
            let template = try MustacheTemplate(string: "{{% CONTENT_TYPE:TEXT}}\n" + text)
            library.register(template, named: Self.layouts[name] ?? name)
        } catch let problem as TemplateTags.Problem {
            fault(problem.message, path, problem.line, faults)
        } catch {
            fault("is not mustache", path, 0, faults)
        }
    }

    private func check(_ tags: TemplateTags, of name: String) throws(TemplateTags.Problem) {
        let isMail = name.hasPrefix("mail.")
        let original = base(name).split(separator: ".").dropFirst().first.flatMap { pageTags[String($0)] }
        if let layout = tags.layout, !Self.layouts(for: name, original).contains(layout) {
            throw TemplateTags.Problem(line: 1, message: "{{<\(layout)}} is not a layout for this file")
        }
        let hasForm = original?.layout == "form" || name == "form.html"
        let own = Set(original.map { Array($0.values.keys) } ?? []).union(hasForm ? formValues : [])
        let known =
            isMail ? Self.mailValues : own.union(["project", "logo", "language", "style", "accent", "onAccent", "script", "data", "."])
        for (value, line) in tags.values.sorted(by: { $0.key < $1.key }) where !known.contains(value) {
            guard value.hasPrefix("words.") else {
                throw TemplateTags.Problem(
                    line: line,
                    message: "{{\(value)}} is not a value of this file; its values are \(known.sorted().joined(separator: ", "))")
            }
            if !says(value.dropFirst(6), in: name) {
                throw TemplateTags.Problem(
                    line: line, message: "{{\(value)}} is not a word of this file; words.en.yaml lists all words")
            }
        }
    }

    /// The layouts that may stand around a file.
    private static func layouts(for name: String, _ original: TemplateTags?) -> [String] {
        if name == "form.html" { return ["page"] }
        if layouts[name] != nil { return [] }
        if name.hasPrefix("mail.") { return ["mail"] }
        return original?.layout == "form" ? ["form", "page"] : ["page"]
    }

    /// Whether the reference has the word for this file: among the words of the mail or page, or among those that all of its kind share. A
    /// layout serves all of a kind, and may use any of their words.
    private func says(_ word: Substring, in name: String) -> Bool {
        let file = base(name).split(separator: ".")
        let kind = file[0] == "mail" ? "mail" : "page"
        let owner = file.count > 2 ? file[1] : nil
        return words["en"]?.names.contains { known in
            let parts = known.split(separator: ".")
            return parts.count == 3 && parts[0] == kind && parts[2] == word
                && (owner == nil || parts[1] == owner || parts[1] == "common")
        } ?? false
    }

    private func fault(_ message: String, _ path: String, _ line: Int, _ faults: Faults) {
        faults.add(Fault(file: path, line: line, column: line > 0 ? 1 : 0, path: "", message: message))
    }
}

/// The short texts of one language, by the template that uses them (`mail.signIn`) and by their name there.
struct Words: Sendable {
    private var groups: [String: [String: Word]] = [:]

    private struct Word: Sendable {
        let template: MustacheTemplate
        let values: Set<String>
    }

    init() {}

    /// - Parameter reference: the list of all words and of the values that each may use; `nil` for the reference itself.
    init(_ section: Section, _ reference: Words?) {
        for kind in ["mail", "page"] {
            let part = section.section(kind)
            for (name, words) in section.sections(kind) {
                let group = "\(kind).\(name)"
                let known = reference?.groups[group]
                if reference != nil, known == nil { part.fault(name, "is not a mail or page with words; words.en.yaml lists all of them") }
                groups[group] = Self.read(part.texts(name), words, known, isMail: kind == "mail")
            }
        }
        section.finish()
    }

    private static func read(_ texts: [String: String], _ section: Section, _ known: [String: Word]?, isMail: Bool) -> [String: Word] {
        var result: [String: Word] = [:]
        for (name, text) in texts {
            guard known == nil || known?[name] != nil else {
                section.fault(name, "is not a word of this mail or page; words.en.yaml lists all words")
                continue
            }
            do {
                let tags = try TemplateTags(text)
                let allowed = isMail ? TemplateFiles.mailValues : known?[name]?.values ?? Set(tags.values.keys)
                if tags.layout != nil { throw TemplateTags.Problem(line: 1, message: "a word has no layout") }
                if let other = tags.values.keys.sorted().first(where: { !allowed.contains($0) }) {
                    throw TemplateTags.Problem(line: 1, message: "{{\(other)}} is not a value of this word")
                }
                let template = try MustacheTemplate(string: "{{% CONTENT_TYPE:TEXT}}\n" + text)
                result[name] = Word(template: template, values: allowed)
            } catch let problem as TemplateTags.Problem {
                section.fault(name, problem.message)
            } catch {
                section.fault(name, "is not mustache")
            }
        }
        return result
    }

    func replacing(_ other: Words) -> Words {
        var words = self
        for (group, own) in other.groups { words.groups[group, default: [:]].merge(own) { _, new in new } }
        return words
    }

    /// The words of a group, filled with these values; not escaped.
    func say(_ group: String, _ values: [String: Any]) -> [String: String] {
        (groups[group] ?? [:]).mapValues { $0.template.render(values) }
    }

    /// One word of a group, filled with these values; not escaped. `nil` when the group does not have it.
    func say(_ word: String, of group: String, _ values: [String: Any]) -> String? { groups[group]?[word]?.template.render(values) }

    /// For the test that compares the languages with one another.
    var names: Set<String> { Set(groups.flatMap { group, words in words.keys.map { "\(group).\($0)" } }) }
}
