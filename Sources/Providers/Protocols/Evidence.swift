import HTTP
import Identity
import JSON
import Logging
import Text

/// Evidence from a provider of who a person is: the provider's rules make a `ProviderIdentity` of it.
///
/// By OpenID Connect, `claims` are those of a verified ID token. A provider without ID tokens proves who a person is by what its API
/// answers to the person's access token; `claims` are then what it says of a token that an app posted, and empty for a token that it gave
/// to us.
struct Evidence: Sendable {
    let providerID: String
    /// The identity space of the provider's entry.
    let issuer: String
    let claims: JSON
    /// The person's access token, for the provider's API.
    let accessToken: UTF8Text?
    /// The secret that signs requests with it (OAuth 1.0a).
    let accessTokenSecret: UTF8Text?
    /// The issuer's own address for more about the person; `nil` when it names none.
    let userInfo: URI?
    /// The fields that the provider sent the browser back with. Some providers say there what they say nowhere else: Apple posts the
    /// person's name beside the first code. For a credential that an app posted, what the provider said to the app beside the tokens.
    let answer: Form
    let authoritativeDomains: Set<String>
    let log: Logger?

    init(
        of settings: ProviderSettings, claims: JSON, accessToken: UTF8Text?, accessTokenSecret: UTF8Text? = nil, userInfo: URI? = nil,
        answer: Form = [:], log: Logger? = nil
    ) {
        providerID = settings.id
        issuer = settings.storedIssuer
        authoritativeDomains = settings.authoritativeDomains
        (self.claims, self.userInfo, self.answer) = (claims, userInfo, answer)
        self.log = log
        (self.accessToken, self.accessTokenSecret) = (accessToken, accessTokenSecret)
    }

    /// The identity in it, to be filled.
    func identity(subject: String, rawUserInfo: String) -> ProviderIdentity {
        ProviderIdentity(providerID: providerID, issuer: issuer, subject: subject, rawUserInfo: rawUserInfo)
    }

    /// The person's address, from a text of the provider, without spaces around it and with its domain in ASCII; `nil` when it has none.
    ///
    /// The log tells of an address to which no mail can be sent: the person's account gets none, and the operator of the provider can mend it.
    func address(_ text: UTF8Text?) -> UTF8Text? {
        guard let text, !text.isEmpty else { return nil }
        let address = EmailAddress.ofProvider(text)
        if EmailAddress.canonical(address.asString) == nil {
            log?.notice("the provider's e-mail address cannot receive mail and is not used", metadata: ["provider": .string(providerID)])
        }
        return address.utf8.count > 254 || EmailDomain.of(address) == nil ? nil : address
    }

    /// Whether the operator trusts the provider with addresses of this domain.
    func trustsDomain(of email: UTF8Text) -> Bool { EmailDomain.of(email).map { authoritativeDomains.contains($0) } ?? false }
}

/// When an e-mail address counts as verified.
enum EmailTrust: String, Sendable, CaseIterable {
    /// When the provider says so.
    case claim
    case never, always
}

enum EmailDomain {
    /// The domain in lower case; `nil` when the text does not have exactly one `@` between two parts, or when the domain is not ASCII,
    /// since some other letters have an ASCII letter as their lower case.
    static func of(_ email: UTF8Text) -> String? {
        let parts = email.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, parts[1].allSatisfy({ $0 < 0x80 }) else { return nil }
        return Substring(parts[1]).lowercased()
    }
}

extension JSON {
    /// A member with a value: some issuers write `null` for absent values.
    func present(_ name: UTF8Text) -> JSON? { self[name].flatMap { $0.isNull ? .none : $0 } }

    /// Whether the member is true. Some issuers write truth values as texts; other forms do not count.
    func isTrue(_ name: UTF8Text) -> Bool { self[name] == true || self[name] == "true" }

    /// A member that is a text, not empty and at most `limit` bytes long.
    func text(_ name: UTF8Text, limit: Int = 1024) -> UTF8Text? {
        guard let text = self[name]?.string, !text.isEmpty, text.utf8.count <= limit else { return nil }
        return text
    }

    /// A member that is a whole number, or a text with one.
    func number(_ name: UTF8Text) -> Int64? { self[name]?.integer ?? self[name]?.string.flatMap { Int64($0.asString) } }

    /// A member that is a URL, at most 2048 bytes long.
    func url(_ name: UTF8Text) -> String? { text(name, limit: 2048).flatMap { URI.parse($0) == nil ? nil : $0.asString } }
}
