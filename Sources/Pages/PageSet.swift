package import HTTP
import ProjectSettings

/// The pages of a feature that are not for the people of a project: templates, words and a style that no project's files replace.
///
/// The files are `words.<language>.yaml`, `style.css`, a layout for each page that names one (`{{<layout}}` stands for `layout.html`), and a template
/// for each page. Words are found as those of projects' pages are: the page's own, then those of the group `common`, and in English where the
/// language lacks them.
package struct PageSet: Sendable {
    package let languages: [String]
    private let words: [String: Lazy<Words>]
    private let templates: [String: Lazy<Template>]
    private let style: String
    private let styleHash: String
    private static let standardAccent = Branding(name: "").accent

    /// - Parameter files: the bytes of each file by its name.
    package init(_ files: [String: [UInt8]]) {
        let texts = files.mapValues { String(decoding: $0, as: UTF8.self) }
        var words: [String: Lazy<Words>] = [:]
        var templates: [String: Lazy<Template>] = [:]
        for (name, text) in texts {
            if name.hasPrefix("words."), name.hasSuffix(".yaml") {
                words[String(name.dropFirst(6).dropLast(5))] = Lazy { Words(text: text, name: name) }
            } else if name.hasSuffix(".html") {
                templates[String(name.dropLast(5))] = .embedded(text)
            }
        }
        (self.words, self.templates) = (words, templates)
        languages = words.keys.sorted()
        style =
            ":root{--accent:\(Self.standardAccent);--on-accent:\(Accent.text(on: Self.standardAccent))}\n"
            + EmbeddedTemplates.text(of: "page.css") + (texts["style.css"] ?? "")
        styleHash = PagePolicy.hash(style)
    }

    package func language(for request: Request) -> String { Language.choose(from: languages, for: request, otherwise: "en") }

    /// The page of a template, complete with the headers that make it safe: it loads nothing, runs nothing but `script`, cannot be framed and is not
    /// kept.
    ///
    /// - Parameters:
    ///   - language: one of `languages`.
    ///   - group: a group of words that goes before those of the template.
    ///   - script: one of our own that asks for passkeys. The page has it inside, and the browser runs none but this one.
    ///   - policy: what the page may do besides being read.
    package func page(
        _ name: String, words group: String? = nil, in language: String, _ values: [String: TemplateValue], status: Int = 200,
        script: String? = nil, allowing policy: PagePolicy = .forms
    ) -> Response {
        let groups = ["page.common", "page.\(name)"] + (group.map { ["page.\($0)"] } ?? [])
        let values = values.merging(["language": .text(language)]) { own, _ in own }
        let plain = values.prepared { $0 }
        var prepared = values.prepared(HTML.escaped) { word, own in
            say(word, of: groups, language, plain.merging(own.prepared { $0 }) { _, own in own })
        }
        for group in groups {
            for language in ["en", language] {
                for (name, word) in words[language]?.value.say(group, plain) ?? [:] {
                    prepared["words.\(name)"] = .text(HTML.escaped(word))
                }
            }
        }
        // Escaping the style would change the bytes that the policy has the hash of; no request is in it.
        prepared["style"] = .text(style)
        prepared["script"] = script.map { .text($0) }
        let html = templates[name]?.value.render(prepared) { templates[$0]?.value } ?? ""
        let policy: PagePolicy = script == nil ? policy : policy.union(.passkeys)
        var headers = policy.headers(styleHash: styleHash, scriptHash: script.map(PagePolicy.hash))
        // Other sites' pages can neither hold this page's window nor load the page.
        for name in ["cross-origin-opener-policy", "cross-origin-resource-policy"] { headers.add(name, "same-origin") }
        return Response(status: status, headers: headers, body: Array(html.utf8))
    }

    /// Whether there is a word of this name for the page, or for the group that goes before it.
    package func has(_ word: String, for name: String) -> Bool {
        say(word, of: ["page.common", "page.\(name)"], "en", [:]) != nil
    }

    /// A word of the page in English, as plain text.
    package func english(_ word: TemplateValue, of name: String) -> String {
        guard case .word(let word, let values) = word else { return "" }
        return say(word, of: ["page.common", "page.\(name)"], "en", values.prepared { $0 }) ?? ""
    }

    /// The last group that has the word decides.
    private func say(_ word: String, of groups: [String], _ language: String, _ values: Template.Values) -> String? {
        for group in groups.reversed() {
            for language in [language, "en"] {
                if let said = words[language]?.value.say(word, of: group, values) { return said }
            }
        }
        return nil
    }
}

extension PageSet {
    /// Mistakes in the files, for the tests of the feature that has them: templates that cannot be read, words that one language lacks, words that a
    /// template names and no group has.
    package var mistakes: [String] {
        let english = words["en"]?.value.names ?? []
        var mistakes = words.flatMap { language, words in
            words.value.names.symmetricDifference(english).sorted().map { "words.\(language).yaml: \($0) is not in both" }
        }
        let all = Set(english.map { String($0.split(separator: ".").last ?? "") })
        for (name, template) in templates.sorted(by: { $0.key < $1.key }) {
            for value in template.value.values.keys.sorted() where value.hasPrefix("words.") && !all.contains(String(value.dropFirst(6))) {
                mistakes.append("\(name).html: no word \(value)")
            }
        }
        return mistakes
    }
}
