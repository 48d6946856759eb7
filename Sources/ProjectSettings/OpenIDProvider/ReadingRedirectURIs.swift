import Config
import Text

extension OAuthClient {
    /// Reads a list of redirect URIs. A URI that breaks a rule is a fault, a doubtful one is noted.
    ///
    /// - Parameter kind: `nil` where the entry does not tell, so that the rules of a kind cannot be asked.
    static func redirectURIs(_ key: String, _ section: Section, kind: Kind?, development: Bool) -> [String] {
        let uris = section.values(key, expected: "a URI such as https://app.example.com/callback") { $0 }
        guard let kind else { return uris }
        for (index, uri) in uris.enumerated() {
            if uris[..<index].contains(where: { $0.isExactly(uri) }) {
                section.fault(key, "\(uri) is listed twice; remove one")
            } else if let reason = RedirectURIRules.fault(of: uri, kind: kind, development: development) {
                section.fault(key, "\(uri) \(reason)")
            } else if let note = RedirectURIRules.note(on: uri) {
                section.note(key, "\(uri) \(note)")
            }
        }
        return uris
    }

    /// The schemes of its own that the client's redirect URIs have, each once.
    var customSchemes: Set<UTF8Text> {
        Set((redirectURIs + postLogoutRedirectURIs).compactMap(RedirectURIRules.customScheme))
    }
}
