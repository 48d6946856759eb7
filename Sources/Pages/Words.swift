import Config
import Mustache

/// The short texts of one language, by the template that uses them (`mail.signIn`) and by their name there.
struct Words: Sendable {
    private struct Word: Sendable {
        let text: String
        let template: Lazy<MustacheTemplate>

        /// The values that this text uses. The same word in another language may use only these.
        var values: Set<String> { Set((try? TemplateTags(text))?.values.keys ?? [:].keys) }
    }

    private var groups: [String: [String: Word]] = [:]

    init() {}

    /// The words of a file in the binary.
    init(embedded file: String) {
        let section = ConfigFile.read(text: EmbeddedTemplates.text(of: file), name: file, faults: Faults())
        for kind in ["mail", "page"] {
            let part = section.section(kind)
            for (name, _) in section.sections(kind) {
                groups["\(kind).\(name)"] = part.texts(name).mapValues { Word(text: $0, template: .embedded($0)) }
            }
        }
    }

    /// The words of a project's own file. What cannot be used is reported as a fault of `section`.
    ///
    /// - Parameter reference: all words that exist; they use all values that there are.
    init(_ section: Section, reference: Words) {
        for kind in ["mail", "page"] {
            let part = section.section(kind)
            for (name, words) in section.sections(kind) {
                let group = "\(kind).\(name)"
                guard let known = reference.groups[group] else {
                    part.fault(name, "is not a mail or page with words; words.en.yaml lists all of them")
                    continue
                }
                groups[group] = Self.read(part.texts(name), words, known, isMail: kind == "mail")
            }
        }
        section.finish()
    }

    private static func read(_ texts: [String: String], _ section: Section, _ known: [String: Word], isMail: Bool) -> [String: Word] {
        var result: [String: Word] = [:]
        for (name, text) in texts {
            guard let original = known[name] else {
                section.fault(name, "is not a word of this mail or page; words.en.yaml lists all words")
                continue
            }
            do {
                let tags = try TemplateTags(text)
                if tags.layout != nil { throw TemplateTags.Problem(line: 1, message: "a word has no layout") }
                let allowed = isMail ? TemplateFiles.mailValues : original.values
                if let other = tags.values.keys.sorted().first(where: { !allowed.contains($0) }) {
                    throw TemplateTags.Problem(line: 1, message: "{{\(other)}} is not a value of this word")
                }
                result[name] = Word(text: text, template: Lazy(made: try MustacheTemplate(plain: text)))
            } catch let problem as TemplateTags.Problem {
                section.fault(name, problem.message)
            } catch {
                section.fault(name, "is not mustache")
            }
        }
        return result
    }

    /// These words with those of `other` in the place of the same ones.
    func replacing(_ other: Words) -> Words {
        var words = self
        for (group, own) in other.groups { words.groups[group, default: [:]].merge(own) { _, new in new } }
        return words
    }

    /// The words of a group, filled with these values; not escaped.
    func say(_ group: String, _ values: [String: Any]) -> [String: String] {
        (groups[group] ?? [:]).mapValues { $0.template.value.render(values) }
    }

    /// One word of a group, filled with these values; not escaped. `nil` when the group does not have it.
    func say(_ word: String, of group: String, _ values: [String: Any]) -> String? {
        groups[group]?[word]?.template.value.render(values)
    }

    /// Every word's group and name, `mail.signIn.subject`.
    var names: Set<String> { Set(groups.flatMap { group, words in words.keys.map { "\(group).\($0)" } }) }
}
