import JOSE
import JSON
import ProjectSettings
import Runtime
import Text

/// A JWT by which a relying party proves that it has its private key, after all checks but the one for its first use.
/// <https://www.rfc-editor.org/rfc/rfc7523#section-3>
struct ClientAssertion: Equatable {
    /// `jti`, which it must have.
    let number: UTF8Text
    let expires: Instant

    /// A longer life makes the memory of used numbers longer, and a stolen assertion worth more.
    private static let longestLife: Duration = .seconds(3600)
    private static let longestNumber = 512

    /// `nil` unless the client signed it, for one of `audiences` and for now.
    init?(_ text: UTF8Text, of client: OAuthClient, for audiences: [String], at now: Instant) {
        guard let keys = client.keys,
            let claims = try? UnverifiedJWT.parse(text.asString, as: .clientAssertion)
                .verified(with: keys, algorithms: [.rs256, .es256]).claims,
            claims["iss"]?.string?.isExactly(client.id) == true, claims["sub"]?.string?.isExactly(client.id) == true,
            Self.names(claims["aud"]).contains(where: { name in audiences.contains { name == $0 } }),
            let number = claims["jti"]?.string, !number.isEmpty, number.utf8.count <= Self.longestNumber,
            let times = try? TokenTimes(claims, at: now), times.expires < now + Self.longestLife + TokenTimes.leeway
        else { return nil }
        self.number = number
        expires = times.expires + TokenTimes.leeway
    }

    /// The client that an assertion names, before it is verified.
    static func clientID(in text: UTF8Text) -> UTF8Text? {
        (try? UnverifiedJWT.parse(text.asString, as: .clientAssertion))?.claims["sub"]?.string
    }

    private static func names(_ audience: JSON?) -> [UTF8Text] {
        audience?.string.map { [$0] } ?? audience?.array?.compactMap(\.string) ?? []
    }
}

extension UTF8Text {
    fileprivate func isExactly(_ text: String) -> Bool { self == text }
}
