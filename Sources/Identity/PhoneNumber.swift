package import Text

/// Phone numbers in the form in which accounts are compared by them.
package enum PhoneNumber {
    /// Whether the text is a number in the form of E.164: a plus sign, a country code, and at most 15 digits in all.
    /// <https://www.itu.int/rec/T-REC-E.164>
    package static func isE164(_ text: UTF8Text) -> Bool {
        let digits = text.utf8.dropFirst()
        return text.utf8.first == UInt8(ascii: "+") && (2...15).contains(digits.count) && digits.first != UInt8(ascii: "0")
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

/// A phone number that may exist: it has the form of E.164, a known country code, and a length that numbers of this code have. Whether it is in
/// use, only a message to it can tell.
package struct PossiblePhoneNumber: Sendable, Equatable {
    package let text: String
    /// Two letters of ISO 3166-1, or `unknownRegion`.
    package let region: String

    /// The region of digits behind a shared country code that none of its regions has.
    package static let unknownRegion = "ZZ"

    /// `nil` for every other text. National forms, spaces and digits of other scripts are not taken: each number has one spelling.
    package init?(_ text: UTF8Text) {
        guard PhoneNumber.isE164(text), text.utf8.count >= 8 else { return nil }
        let digits = String(decoding: text.utf8.dropFirst(), as: UTF8.self)
        let found = (1...3).lazy.compactMap { length in CountryCode.all[String(digits.prefix(length))].map { ($0, length) } }.first
        guard let (code, length) = found else { return nil }
        let national = digits.dropFirst(length)
        guard code.lengths.contains(national.utf8.count), code.takesZero || national.first != "0" else { return nil }
        self.text = text.asString
        region = code.others.first { other in other.beginnings.contains { national.hasPrefix($0) } }?.region ?? code.region
    }

    /// The number without its last four digits: numbers that are made up come in runs, which have it in common.
    package var run: String { String(text.dropLast(4)) }

    /// Whether the text is a region that numbers have, so that a setting can name it.
    package static func isRegion(_ text: String) -> Bool { CountryCode.regions.contains(text) }
}

/// The rules for the numbers behind one country code, as `CountryCodeTable` lists them.
private struct CountryCode {
    let lengths: Set<Int>
    /// Whether national numbers may begin with a zero.
    let takesZero: Bool
    let region: String
    /// Other regions of the code, each with the digits that its numbers begin with.
    let others: [(region: String, beginnings: [String])]

    static let all: [String: CountryCode] = Dictionary(
        CountryCodeTable.text.split(separator: "\n").compactMap(line), uniquingKeysWith: { first, _ in first })

    static let regions = Set(all.values.flatMap { [$0.region] + $0.others.map(\.region) }).subtracting([PossiblePhoneNumber.unknownRegion])

    private static func line(_ line: Substring) -> (String, CountryCode)? {
        let words = line.split(separator: " ")
        guard words.count >= 3 else { return nil }
        let others = words.dropFirst(3).map { word in
            let parts = word.split(separator: ":")
            return (region: String(parts[0]), beginnings: parts.dropFirst().flatMap { $0.split(separator: ",") }.map(String.init))
        }
        let lengths = words[1].split(separator: ",").compactMap { Int($0.filter { $0 != "z" }) }
        return (
            String(words[0]),
            CountryCode(lengths: Set(lengths), takesZero: words[1].hasSuffix("z"), region: String(words[2]), others: others)
        )
    }
}
