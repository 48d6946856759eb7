package import Text

/// How the names that a source has for upstream providers become ours.
package struct ProviderNames: Sendable {
    private let names: [UTF8Text: String]

    /// - Parameters:
    ///   - known: the names that mean the same wherever the source is used.
    ///   - own: what the operator says, which comes first.
    package init(_ known: [UTF8Text: String], own: [UTF8Text: String] = [:]) { names = known.merging(own) { $1 } }

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
