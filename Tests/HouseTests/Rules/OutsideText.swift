/// Text from outside is compared, looked up and searched by its bytes (SEC-49): as `UTF8Text`, never as `String`.
///
/// The compiler ensures most of this, since JSON, forms, headers, cookies, queries and path parameters give no `String`. These rules find
/// the remaining ways: a decision on the result of `asString`, a field of a call's input that is a `String`, and a case looked up by
/// `rawValue`.
///
/// They read the text of the sources, without types. So they do not find a `String` that was stored in a variable or passed to another
/// function before it is compared, nor anything that the rules of the lower floors do with one. There, `EmailAddress`,
/// `ProjectSettings.isID` and similar code must have reduced it to ASCII first, and `isExactly` compares the rest.
enum OutsideText {
    /// The views of `asString` that may be used: they do not know canonical equivalence.
    private static let views: Set<Substring> = ["utf8", "utf16", "unicodeScalars"]

    /// Targets where a `String` is one of our own: `Text` itself, and targets that read the operator's files.
    private static let exempt: Set<String> = ["Text", "Config", "gatehouse"]

    /// Targets that read requests.
    private static let features: Set<String> = ["Brokerage", "IdentityToolkit", "AuthPages", "OpenIDProvider", "Console", "Web"]

    static func decisions(_ file: File) -> [Violation] {
        guard let target = file.target, file.isSwift, !exempt.contains(target) else { return [] }
        return file.swift.lines.enumerated().flatMap { index, line in
            line.places(of: ".asString").compactMap { place in
                guard let what = decision(before: line[..<place.lowerBound], after: line[place.upperBound...]) else { return nil }
                return Violation(path: file.path, line: index + 1, message: "\(what) text from outside as a String; leave it UTF8Text")
            }
        }
    }

    private static func decision(before: Substring, after: Substring) -> String? {
        var after = after
        if after.first == "?" { after = after.dropFirst() }
        if after.first == "." {
            let member = after.dropFirst().prefix { $0.isLetter || $0.isNumber }
            return views.contains(member) ? nil : "asks \(member) of"
        }
        let next = after.drop { $0 == " " }
        if ["==", "!=", "~=", "< ", "> ", "<=", ">="].contains(where: next.hasPrefix) { return "compares" }
        // The beginning of the operand itself: `a.b?.c` in `x == a.b?.c`.
        let start = before.reversed().drop { $0.isLetter || $0.isNumber || ".?_$".contains($0) }
        let previous = String(start.reversed()).trimmingTrailingSpaces
        if ["==", "!=", "~=", "<=", ">="].contains(where: previous.hasSuffix) { return "compares" }
        if previous.hasSuffix("switch") { return "switches over" }
        if previous.hasSuffix("rawValue:") { return "looks up a case by" }
        if previous.hasSuffix("["), after.first == "]" { return "looks up by" }
        return nil
    }

    /// Fields that a call reads from its request.
    static func inputs(_ file: File) -> [Violation] {
        guard let target = file.target, features.contains(target) else { return [] }
        var open: [Bool] = []
        return file.swift.lines.enumerated().compactMap { index, line in
            let isInput = line.contains("struct ") && line.contains("Decodable")
            let isField = open.last == true && line.words.first == "var" && line.words.contains("String") && !line.contains("{")
            for byte in line.utf8 {
                if byte == UInt8(ascii: "{") { open.append(isInput) }
                if byte == UInt8(ascii: "}") { _ = open.popLast() }
            }
            guard isField else { return nil }
            return Violation(path: file.path, line: index + 1, message: "a field of a request is a String; make it UTF8Text")
        }
    }

    /// Cases that a request names are found by `init(exactly:)`.
    static func rawValues(_ file: File) -> [Violation] {
        guard let target = file.target, features.contains(target) || ["Providers", "JOSE", "JSON"].contains(target),
            !file.text.contains("OptionSet")
        else { return [] }
        return file.swift.lines.enumerated().filter { $0.element.contains("rawValue:") }.map {
            Violation(path: file.path, line: $0.offset + 1, message: "looks up a case by canonical equivalence; use init(exactly:)")
        }
    }
}

extension Substring {
    fileprivate func places(of part: String) -> [Range<Index>] {
        var found: [Range<Index>] = []
        var rest = self[...]
        while let place = rest.firstRange(of: part) {
            found.append(place)
            rest = rest[place.upperBound...]
        }
        return found.filter { $0.upperBound == endIndex || !(self[$0.upperBound].isLetter || self[$0.upperBound].isNumber) }
    }
}

extension String {
    fileprivate var trimmingTrailingSpaces: String { String(reversed().drop { $0 == " " }.reversed()) }
}
