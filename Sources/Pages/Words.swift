import Config

/// The short texts of one language, by the template that uses them (`mail.signIn`) and by their name there.
struct Words: Sendable {
    private var groups: [String: [String: Lazy<Template>]] = [:]

    init() {}

    /// The words of a file in the binary.
    init(embedded file: String) { self.init(text: EmbeddedTemplates.text(of: file), name: file) }

    /// The words of a text that came with the binary.
    init(text: String, name file: String) {
        let section = ConfigFile.read(text: text, name: file, faults: Faults())
        for kind in ["mail", "page", "message"] {
            let part = section.section(kind)
            for (name, _) in section.sections(kind) {
                groups["\(kind).\(name)"] = part.texts(name).mapValues { .embedded($0) }
            }
        }
    }

    /// The words of a project's own file. What cannot be used is reported as a fault of `section`.
    ///
    /// - Parameter reference: the words of the binary. A file may give no other words, and each may use only the values that its original uses.
    init(_ section: Section, reference: Words) {
        for kind in ["mail", "page", "message"] {
            let part = section.section(kind)
            for (name, words) in section.sections(kind) {
                let group = "\(kind).\(name)"
                guard let known = reference.groups[group] else {
                    part.fault(name, "is not a mail or page with words; words.en.yaml lists all of them")
                    continue
                }
                groups[group] = Self.read(part.texts(name), words, known, kind)
            }
        }
        section.finish()
    }

    private static func read(
        _ texts: [String: String], _ section: Section, _ known: [String: Lazy<Template>], _ kind: String
    ) -> [String: Lazy<Template>] {
        var result: [String: Lazy<Template>] = [:]
        for (name, text) in texts {
            guard let original = known[name] else {
                section.fault(name, "is not a word of this mail or page; words.en.yaml lists all words")
                continue
            }
            do throws(Template.Problem) {
                let word = try Template(text)
                if word.layout != nil { throw Template.Problem(line: 1, message: "a word has no layout") }
                // The same word in another language may use only these.
                let allowed = kind == "mail" ? TemplateFiles.mailValues : Set(original.value.values.keys)
                if let other = word.values.keys.sorted().first(where: { !allowed.contains($0) }) {
                    throw Template.Problem(line: 1, message: "{{\(other)}} is not a value of this word")
                }
                if kind == "message" { try check(word, text) }
                result[name] = Lazy(made: word)
            } catch {
                section.fault(name, error.message)
            }
        }
        return result
    }

    /// People are told that messages of codes have no link, so that they open none that another sender writes.
    private static func check(_ message: Template, _ text: String) throws(Template.Problem) {
        guard message.values["code"] != nil else { throw Template.Problem(line: 1, message: "a message to a phone needs {{code}}") }
        guard !text.contains("//") else { throw Template.Problem(line: 1, message: "a message to a phone must not have a link") }
    }

    /// These words with those of `other` in the place of the same ones.
    func replacing(_ other: Words) -> Words {
        var words = self
        for (group, own) in other.groups { words.groups[group, default: [:]].merge(own) { _, new in new } }
        return words
    }

    /// The words of a group, filled with these values; not escaped.
    func say(_ group: String, _ values: Template.Values) -> [String: String] {
        (groups[group] ?? [:]).mapValues { $0.value.render(values) }
    }

    /// One word of a group, filled with these values; not escaped. `nil` when the group does not have it.
    func say(_ word: String, of group: String, _ values: Template.Values) -> String? {
        groups[group]?[word]?.value.render(values)
    }

    /// Every word's group and name, `mail.signIn.subject`.
    var names: Set<String> { Set(groups.flatMap { group, words in words.keys.map { "\(group).\($0)" } }) }
}
