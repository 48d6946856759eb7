import Config
import Identity
import JSON

/// An upstream sign-in service, as a value.
///
/// Every field with a standard value has it as its default. So a provider's own file contains only what that provider does differently,
/// each with a link to the page that documents it.
package struct Provider: Sendable {
    /// Firebase's name for it, which is also its key in a project's `providers:`.
    package let id: String
    /// The text of a sign-in button, unless the entry has its own.
    package let name: String
    /// The scopes that are always asked for.
    var scopes = ["openid", "profile", "email"]
    var clientAuthentication = UpstreamClientAuthentication.auto
    var nonceRule = NonceRule.sha256
    var pkce = PKCE.s256
    /// Whether its answers come to an address of its own. Without the promise of an `iss` in them (RFC 9207), nothing else tells an answer
    /// of this provider from one that a hostile provider had sent here.
    var hasOwnCallback = false
    /// The look of its sign-in button.
    var button = ButtonStyle()
    /// Other names of the service, in lower case, which an operator may take for its id.
    var otherNames: Set<String> = []
    /// Adds what an identity has beyond the claims that a developer makes up (`DevelopmentProvider`), as the Auth emulator does.
    var development: @Sendable (_ claims: JSON, inout ProviderIdentity) -> Void = { _, _ in }
    /// Entries as YAML that together have every key, for a provider whose keys depend on a value of another key.
    var samples = ["{}"]
    /// The keys of an entry that people sign in with (`entry(of:knowing:)`), in their order.
    var entryKeys: [EntryKey] = [.required("clientId"), .secret("clientSecret")]
    /// Reads the keys that only this provider has.
    let `protocol`: @Sendable (Section, _ allowInsecure: Bool) -> SignInProtocol

    /// The ids of OpenID Connect issuers, as a regular expression.
    package static let openIDPattern = "^oidc\\.[a-z0-9-]{1,\(longestName)}$"
    private static let longestName = 64

    /// The provider of that id: one of the catalogue, or any OpenID Connect issuer for `oidc.` and a name of lower-case letters, digits
    /// and hyphens.
    package static func named(_ id: String) -> Provider? {
        if let known = catalog.first(where: { $0.id == id }) { return known }
        let name = id.utf8.dropFirst(5)
        let fits = name.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
        guard id.hasPrefix("oidc."), !name.isEmpty, name.count <= longestName, fits else { return nil }
        return Provider(
            id: id, name: String(id.dropFirst(5)),
            entryKeys: [.required("issuer", like: "https://…"), .required("clientId"), .secret("clientSecret")],
            protocol: { .openIDConnect(OpenIDConnect($0, allowInsecure: $1)) })
    }

    /// Entries of all providers, and of an OpenID Connect issuer of this id, in as many mappings as one of them has samples.
    package static func samples(with issuer: String) -> [[(id: String, entry: String)]] {
        let all = catalog.map { ($0.id, $0.samples) } + [(issuer, ["{}"])]
        return (0..<(all.map(\.1.count).max() ?? 0)).map { index in
            all.compactMap { id, samples in index < samples.count ? (id, samples[index]) : nil }
        }
    }

    /// The id that an operator may have meant by one that no provider has: of a provider of this name, or of an issuer whose host it is.
    static func meant(by id: String) -> String? {
        let word = id.lowercased()
        if let known = catalog.first(where: { $0.id == word || $0.id.hasPrefix("\(word).") || $0.otherNames.contains(word) }) {
            return known.id
        }
        let label = word.split(separator: ".", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        return label != "oidc" && named("oidc.\(label)") != nil ? "oidc.\(label)" : nil
    }
}

/// Whether a secret of each sign-in binds the code to it. <https://www.rfc-editor.org/rfc/rfc7636>
enum PKCE: String, Sendable, CaseIterable { case s256, off }
