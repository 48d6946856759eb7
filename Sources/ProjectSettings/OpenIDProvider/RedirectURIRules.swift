import HTTP
import Text

/// The rules for the redirect URIs of clients, when the configuration is read. Each refusal is a sentence to stand behind the URI.
enum RedirectURIRules {
    /// Schemes that do not lead to an app, or that run what the URI says.
    private static let refusedSchemes: Set<UTF8Text> = [
        "about", "blob", "data", "file", "ftp", "intent", "javascript", "mailto", "sms", "tel", "vbscript", "ws", "wss",
    ]

    /// Parameters of the answer, which would stand in the URI twice.
    private static let answers: [UTF8Text] = ["access_token", "code", "error", "id_token", "iss", "response", "state"]

    /// The rule that a URI breaks and what to do; `nil` for a good one.
    static func fault(of text: String, kind: OAuthClient.Kind, development: Bool) -> String? {
        if let reason = faultOfCharacters(text) { return reason }
        guard let uri = RedirectURI(UTF8Text(text)), !uri.scheme.contains(UInt8(ascii: "/")), !uri.scheme.contains(UInt8(ascii: "?")) else {
            return "is not absolute (RFC 6749 §3.1.2); begin with a scheme: https://app.example.com/callback, "
                + "or com.example.app:/callback for a native app"
        }
        if refusedSchemes.contains(uri.scheme) {
            return "has the scheme \(uri.scheme), which does not lead to an app; write https, or a native app's own scheme"
        }
        if let reason = faultOfParts(uri) { return reason }
        return switch uri.scheme {
        case "http", "https": faultOfWeb(uri, text, kind: kind, development: development)
        default: faultOfCustom(uri, kind: kind)
        }
    }

    /// A remark on a URI that is taken.
    static func note(on text: String) -> String? {
        guard let uri = RedirectURI(UTF8Text(text)), isCustom(uri.scheme), uri.path.contains(UInt8(ascii: "_")) else { return nil }
        return "has an underscore in its path, which Azure AD B2C and some systems refuse beside a scheme of one's own; prefer a hyphen"
    }

    /// The scheme, in lower case, when it belongs to an app and not to the web.
    static func customScheme(of text: String) -> UTF8Text? {
        RedirectURI(UTF8Text(text)).flatMap { isCustom($0.scheme) ? $0.scheme : nil }
    }

    private static func isCustom(_ scheme: UTF8Text) -> Bool { scheme != "http" && scheme != "https" }

    private static func faultOfCharacters(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        if bytes.count > RedirectURI.longest { return "is longer than \(RedirectURI.longest) bytes" }
        if bytes.contains(UInt8(ascii: "\\")) { return "has a backslash, which browsers read as a slash; write /" }
        if bytes.contains(UInt8(ascii: "*")) { return "has a *, but wildcards are not taken (RFC 9700 §4.1.3); write out each URI" }
        if bytes.contains(UInt8(ascii: "#")) { return "has a fragment, which RFC 6749 §3.1.2 forbids; remove the # and what follows it" }
        if bytes.contains(where: { $0 <= 0x20 || $0 >= 0x7F || "\"<>^`{|}".utf8.contains($0) }) {
            return "has a character that a URI cannot have, such as a space, a control character or a letter outside ASCII; "
                + "write it as %xx, and in a host as xn--…"
        }
        return PercentEncoding.decode(bytes) == nil ? "has a % that two hex digits do not follow; write %25 for the character itself" : nil
    }

    private static func faultOfParts(_ uri: RedirectURI) -> String? {
        if uri.authority?.contains(UInt8(ascii: "@")) == true {
            return "has user information before the host, which browsers use to deceive people about it; remove all up to the @"
        }
        let segments = uri.path.split { $0 == UInt8(ascii: "/") }.compactMap { PercentEncoding.decode($0.utf8) }
        if segments.contains(where: { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }) {
            return "has a . or .. segment, which browsers resolve before they compare; write the path without it"
        }
        guard let query = uri.query else { return nil }
        guard !query.isEmpty, let form = Form(query.asString) else { return "has a query that is empty or not a form; remove it" }
        guard let taken = answers.first(where: { name in form.fields.contains { $0.name == name } }) else { return nil }
        return "has \(taken) in its query, which is a parameter of the answer; choose another name"
    }

    private static func faultOfWeb(_ uri: RedirectURI, _ text: String, kind: OAuthClient.Kind, development: Bool) -> String? {
        guard let url = URI.parse(text), uri.authority?.isEmpty == false else {
            return "is not a URL with a host that browsers take; write https://, a host, and a path"
        }
        if url.host.utf8.contains(UInt8(ascii: "_")) {
            return "has an underscore in its host, which names of hosts cannot have (RFC 1123 §2.1); correct the host"
        }
        if url.isSecure { return nil }
        guard uri.isLoopback else {
            return "is plain http, which is only taken of 127.0.0.1, [::1] and localhost (RFC 8252 §7.3); write https"
        }
        guard kind == .native || development else {
            return "is plain http of this machine, which in production only native apps may have (RFC 8252 §7.3); "
                + "write https, or kind: native"
        }
        return nil
    }

    private static func faultOfCustom(_ uri: RedirectURI, kind: OAuthClient.Kind) -> String? {
        if uri.scheme.contains(UInt8(ascii: "_")) {
            return "has an underscore in its scheme, which RFC 3986 §3.1 forbids; use letters, digits, + - and . alone"
        }
        guard NativeApp.IOS.isScheme(uri.scheme.asString) else {
            return "has a scheme with a character that RFC 3986 §3.1 forbids; use letters, digits, + - and . alone, a letter first"
        }
        guard kind == .native else {
            return "has a scheme of its own, to which only native apps can be reached; write https, or kind: native"
        }
        guard uri.scheme.contains(UInt8(ascii: ".")) else {
            return "has a scheme without a dot, which other apps may have too (RFC 8252 §7.1); "
                + "write a domain of yours in reverse order: com.example.app"
        }
        guard let authority = uri.authority else {
            return uri.rest.hasPrefix("/") ? nil : "has no path; write \(uri.scheme):/callback, with a slash behind the scheme"
        }
        if authority.contains(UInt8(ascii: "_")) {
            return "has an underscore in its host, which Azure AD B2C and some systems refuse; use a hyphen"
        }
        if !authority.isEmpty, Authority.split(Array(authority.utf8)[...]) == nil {
            return "has a host that is not a name; write \(uri.scheme)://oauth/callback, or \(uri.scheme):/callback"
        }
        return uri.rest.hasPrefix("/") ? nil : "has no path behind its host; write \(uri.scheme)://\(authority)/ with at least one slash"
    }
}
