package import Text

/// How the names that a source has for upstream providers become ours.
package struct ProviderNames: Sendable {
    private let names: [UTF8Text: String]
    private let own: Set<UTF8Text>
    /// The names that the source has.
    private var met: Set<UTF8Text> = []
    private static let mostToName = 10

    /// - Parameters:
    ///   - known: the names that mean the same wherever the source is used.
    ///   - own: what the operator says, which comes first.
    package init(_ known: [UTF8Text: String], own: [UTF8Text: String] = [:]) {
        names = known.merging(own) { $1 }
        self.own = Set(own.keys)
    }

    /// Remembers that the source has the name.
    mutating func meet(_ name: UTF8Text) { met.insert(name) }

    /// Notes the operator's names that the source does not have, at its end: one that is spelled in another way means nothing.
    func noteUnmet(in losses: inout SourceLosses) {
        let there = met.sorted().prefix(Self.mostToName).map { $0.prefix(bytes: 64).asString } + (met.count > Self.mostToName ? ["…"] : [])
        let theirs = there.isEmpty ? "no identity of a provider" : "those of \(there.joined(separator: ", "))"
        for name in own.subtracting(met) {
            losses.note("identity of \(name.prefix(bytes: 64)), as --provider spells it; the source has \(theirs)", 0)
        }
    }

    /// The provider that the name is known to mean.
    package subscript(name: UTF8Text) -> String? { names[name] }

    /// The provider that the name means: where that is not known, an issuer of OpenID Connect with this name.
    package func id(of name: UTF8Text) -> String { names[name] ?? "oidc.\(Self.label(name))" }

    /// The name in the letters that the id of an issuer can have, at most 64.
    static func label(_ name: UTF8Text) -> String {
        String(decoding: name.asciiLowercased.utf8.prefix(64).map { isAllowed($0) ? $0 : UInt8(ascii: "-") }, as: UTF8.self)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
