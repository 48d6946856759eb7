import Text

/// The parameters that an app may add to the authorization URL: all that do not change the flow itself, within limits.
enum CustomParameters {
    static let most = 20
    /// The most bytes of a name, and of a value.
    static let longest = 1024

    /// Parameters that the flow itself sends, or that would let the app replace them. Compared in lower case, since some providers do so.
    static let reserved: Set<UTF8Text> = [
        "client_id", "client_secret", "code_challenge", "code_challenge_method", "id_token_hint", "nonce", "oauth_callback",
        "oauth_token", "redirect_uri", "registration", "request", "request_uri", "response_mode", "response_type", "scope", "state",
    ]

    /// Throws `badParameter` with a sentence for the app's developer.
    static func check(_ parameters: [UTF8Text: UTF8Text], reserved more: Set<UTF8Text>) throws(ProviderError) {
        guard parameters.count <= most else { throw .badParameter("There are more than \(most) custom parameters.") }
        for (name, value) in parameters {
            guard !name.isEmpty, name.utf8.count <= longest, !hasControls(name) else {
                throw .badParameter("A custom parameter's name is empty, too long or has control characters.")
            }
            let shown = UpstreamText.isName(name) ? name.asString : "of that name"
            guard !isReserved(name, more) else {
                throw .badParameter("The custom parameter \(shown) is reserved.")
            }
            guard value.utf8.count <= longest, !hasControls(value) else {
                throw .badParameter("The custom parameter \(shown) is longer than \(longest) bytes or has control characters.")
            }
        }
    }

    /// Drops reserved parameters without an error. This is for requests of SDKs, since apps written for Firebase may send them.
    static func without(reserved more: Set<UTF8Text>, _ parameters: [UTF8Text: UTF8Text]) -> [UTF8Text: UTF8Text] {
        parameters.filter { name, _ in !isReserved(name, more) }
    }

    static func isReserved(_ name: UTF8Text, _ more: Set<UTF8Text>) -> Bool {
        let name = name.asciiLowercased
        return reserved.contains(name) || more.contains(name)
    }

    /// <https://www.rfc-editor.org/rfc/rfc6749#section-3.3>
    static func check(scopes: [UTF8Text]) throws(ProviderError) {
        guard scopes.count <= 50 else { throw .badParameter("There are more than 50 scopes.") }
        for scope in scopes {
            let fits = scope.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
            guard fits, !scope.isEmpty, scope.utf8.count <= longest else { throw .badParameter("A scope is malformed.") }
        }
    }

    private static func hasControls(_ text: UTF8Text) -> Bool {
        text.asString.unicodeScalars.contains {
            $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || $0.value == 0x2028 || $0.value == 0x2029
        }
    }
}
