import Crypto
package import JSON
package import Text

/// A token with `alg: none` and an empty signature, as Firebase's SDKs make them for the Auth emulator.
///
/// Any program can make one that says anything, so it proves nothing. Only development mode reads such tokens (SEC-22).
/// <https://www.rfc-editor.org/rfc/rfc7519#section-6>
package struct UnsignedJWT: Sendable {
    /// An object; `nil` when the claims cannot be read, when the token is of another kind, or when the header has `crit`, which names
    /// extensions that must be understood.
    package let claims: JSON?

    /// `nil` for a text of another form, such as a signed token.
    package init?(provingNothing text: UTF8Text, as kind: TokenKind) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.utf8.count <= JWS.maxBytes, parts.count == 3, parts[2].isEmpty, let header = Self.object(parts[0]),
            header["alg"] == "none"
        else { return nil }
        guard header["crit"] == nil, let claims = Self.object(parts[1]), (try? kind.check(header: header, claims)) != nil else {
            claims = .none
            return
        }
        self.claims = claims
    }

    /// The text of a token with `claims`, the bytes of a JSON object.
    package static func text(provingNothing claims: [UInt8]) -> String {
        var token = start
        Base64URL.append(claims, to: &token)
        token.append(UInt8(ascii: "."))
        return String(decoding: token, as: UTF8.self)
    }

    private static let start = Array("\(Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))).".utf8)

    private static func object(_ part: Substring.UTF8View) -> JSON? {
        guard let bytes = Base64URL.decodeStrict(Array(part)), let json = try? JSON.parse(bytes), json.object != nil else { return nil }
        return json
    }
}
