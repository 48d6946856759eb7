extension Section {
    package func string(_ key: String) -> String? { value(key, expected: "text") { $0 } }

    /// A text that is required and must not be empty.
    package func required(_ key: String) -> String {
        require(key)
        guard let node = ask(key, .text(expected: "text")) else { return "" }
        guard let text = Self.text(node), !text.isEmpty else { return wrong(key, node, "expected text that is not empty") ?? "" }
        return text
    }

    /// `true` or `false`, unquoted.
    package func bool(_ key: String, default value: Bool) -> Bool {
        guard let node = ask(key, .boolean(default: value)) else { return value }
        return Self.word(node).flatMap(Bool.init) ?? wrong(key, node, "expected true or false, without quotes") ?? value
    }

    /// A whole number in decimal digits, unquoted.
    package func int(_ key: String, default value: Int, in range: ClosedRange<Int>) -> Int { number(key, value, range) ?? value }

    /// Such a number without a default; `nil` when it is absent or wrong.
    package func int(_ key: String, in range: ClosedRange<Int>) -> Int? { number(key, nil, range) }

    private func number(_ key: String, _ value: Int?, _ range: ClosedRange<Int>) -> Int? {
        guard let node = ask(key, .integer(range, default: value)) else { return nil }
        guard let word = Self.word(node), !word.hasPrefix("+"), let number = Int(word), range.contains(number) else {
            return wrong(key, node, "expected a whole number from \(range.lowerBound) to \(range.upperBound), without quotes")
        }
        return number
    }

    /// A duration such as `10s`, `5m`, `24h`, `7d`.
    package func duration(_ key: String, default value: Duration, in range: ClosedRange<Duration>) -> Duration {
        guard let node = ask(key, .duration(range, default: value)) else { return value }
        guard let duration = Self.text(node).flatMap(Duration.init(text:)), range.contains(duration) else {
            return wrong(
                key, node, "expected a time from \(range.lowerBound.text) to \(range.upperBound.text), \(Duration.examples(in: range))")
                ?? value
        }
        return duration
    }

    /// One of the values of an enumeration, by its text.
    ///
    /// - Parameter choices: the values that count here, where not all of them do.
    package func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: String, default value: Choice, among choices: [Choice] = Array(Choice.allCases)
    ) -> Choice where Choice.RawValue == String {
        choice(key, value, choices) ?? value
    }

    /// The same without a default; `nil` when it is absent or wrong.
    package func choice<Choice: RawRepresentable & CaseIterable>(_ key: String) -> Choice? where Choice.RawValue == String {
        choice(key, nil, Array(Choice.allCases))
    }

    private func choice<Choice: RawRepresentable>(
        _ key: String, _ value: Choice?, _ choices: [Choice]
    ) -> Choice? where Choice.RawValue == String {
        let names = choices.map(\.rawValue)
        guard let node = ask(key, .choice(names, default: value?.rawValue)) else { return nil }
        return choices.first { $0.rawValue == Self.text(node) } ?? wrong(key, node, "expected one of: \(names.joined(separator: ", "))")
    }

    /// A text that `parse` converts. `expected` describes it: "an https URL".
    package func value<Value>(_ key: String, expected: String, _ parse: (String) -> Value?) -> Value? {
        guard let node = ask(key, .text(expected: expected)) else { return nil }
        return Self.text(node).flatMap(parse) ?? wrong(key, node, "expected \(expected)")
    }
}

extension Duration {
    /// `10s`, `5m`, `24h`, `7d`; nil for anything else.
    package init?(text: String) {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
        guard let unit = text.last.flatMap({ units[$0] }), text.utf8.first != UInt8(ascii: "+"), let count = Int64(text.dropLast()),
            (0...1_000_000).contains(count)
        else { return nil }
        self = .seconds(count * unit)
    }

    /// Up to three texts of the range, with different units where it has them.
    fileprivate static func examples(in range: ClosedRange<Duration>) -> String {
        let texts = ["30s", "5m", "24h", "90d"].filter { Duration(text: $0).map(range.contains) ?? false }.prefix(3)
        guard let last = texts.last, texts.count > 1 else { return "such as \(texts.first ?? range.upperBound.text)" }
        return "such as \(texts.dropLast().joined(separator: ", ")) or \(last)"
    }

    /// The duration as such a text, in the largest unit that fits.
    package var text: String {
        let seconds = components.seconds
        for (unit, size) in [("d", Int64(86400)), ("h", 3600), ("m", 60)] where seconds > 0 && seconds.isMultiple(of: size) {
            return "\(seconds / size)\(unit)"
        }
        return "\(seconds)s"
    }
}
