package import HTTP
import ProjectSettings
package import Text

/// Chooses the language of mails and pages: the first language asked for by the app or the browser that is available.
///
/// Languages are asked for, in this order, by the query (`hl`, `lang`), by the app's own setting (`X-Firebase-Locale`), and by the browser
/// (`Accept-Language`, by weight). A tag matches the available language that is its longest beginning (`de-CH-1996` matches `de-CH`, then
/// `de`), or a regional form of it (`pt` matches `pt-BR`).
/// <https://www.rfc-editor.org/rfc/rfc9110#section-12.5.4>, <https://www.rfc-editor.org/rfc/rfc4647#section-3.4>
package enum Language {
    /// Longer headers are cut here, and further ranges are ignored.
    private static let headerBytes = 1024
    private static let ranges = 24

    /// - Parameters:
    ///   - available: tags of the languages that exist.
    ///   - preferred: tags that go before all others.
    ///   - parameter: a tag that goes before the rest; without it, the query's `hl` or `lang`.
    package static func choose(
        from available: [String], for request: Request, preferred: [UTF8Text] = [], parameter: String? = nil, otherwise standard: String
    ) -> String {
        var preferences = preferred
        if let parameter { preferences.append(UTF8Text(parameter)) }
        if let query = Form(request.query) { preferences += [query["hl"], query["lang"]].compactMap { $0 } }
        if let locale = request.headers["x-firebase-locale"] { preferences.append(locale) }
        for preference in preferences { if let met = meet(preference, from: available) { return met } }
        for preference in accepted(request.headers["accept-language"] ?? "") {
            if preference == "*" { return standard }
            if let met = meet(preference, from: available) { return met }
        }
        return standard
    }

    /// The ranges of an `Accept-Language`, those with the most weight first; refused ones (`q=0`) and malformed ones are left out.
    static func accepted(_ header: UTF8Text) -> [UTF8Text] {
        var found: [(range: UTF8Text, weight: Int)] = []
        let bytes = header.utf8.prefix(headerBytes)
        for part in bytes.split(separator: UInt8(ascii: ","), maxSplits: ranges).prefix(ranges) {
            let fields = part.split(separator: UInt8(ascii: ";"), maxSplits: 2).map { trimmed($0) }
            guard let range = fields.first, !range.isEmpty else { continue }
            let weight = fields.count == 1 ? 1000 : fields.count == 2 ? Self.weight(fields[1]) : nil
            if let weight, weight > 0 { found.append((range, weight)) }
        }
        // Compares the places, too, since ranges of equal weight must keep their order.
        return found.enumerated().sorted { left, right in
            (right.element.weight, left.offset) < (left.element.weight, right.offset)
        }.map(\.element.range)
    }

    /// Reads `q=0.8`, in thousandths.
    private static func weight(_ text: UTF8Text) -> Int? {
        guard text.asciiLowercased.hasPrefix("q=") else { return nil }
        let number = text.utf8.dropFirst(2)
        guard let whole = number.first, whole == UInt8(ascii: "0") || whole == UInt8(ascii: "1"), number.count <= 5 else { return nil }
        var thousandths = whole == UInt8(ascii: "1") ? 1000 : 0
        guard let point = number.dropFirst().first else { return thousandths }
        guard point == UInt8(ascii: ".") else { return nil }
        var place = 100
        for digit in number.dropFirst(2) {
            guard (0x30...0x39).contains(digit) else { return nil }
            thousandths += Int(digit - 0x30) * place
            place /= 10
        }
        return thousandths <= 1000 ? thousandths : nil
    }

    private static func trimmed(_ bytes: Substring.UTF8View.SubSequence) -> UTF8Text {
        var bytes = bytes.drop { $0 == 0x20 || $0 == 0x09 }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
        return UTF8Text(bytes)
    }

    /// The available language for a tag such as `de-AT` or `pt_BR`; `nil` when none matches.
    static func meet(_ preference: UTF8Text, from available: [String]) -> String? {
        // Locales of operating systems come with a codeset: de_DE.UTF-8@euro.
        let bytes = preference.utf8.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "@") }.map {
            $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0
        }
        let tag = String(decoding: bytes, as: UTF8.self)
        guard LanguageTag.isWellFormed(tag) else { return nil }
        var subtags = tag.lowercased().split(separator: "-")
        while !subtags.isEmpty {
            let range = subtags.joined(separator: "-")
            if let met = available.first(where: { $0.lowercased() == range }) { return met }
            if let met = available.first(where: { $0.lowercased().hasPrefix(range + "-") }) { return met }
            subtags.removeLast()
            // A single letter only introduces the subtag behind it.
            if subtags.last?.count == 1 { subtags.removeLast() }
        }
        return nil
    }
}
