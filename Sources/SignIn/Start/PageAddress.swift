import HTTP
import Text

/// The address of an app's page as its SDK gives it (`location.href`), where a result will be sent.
///
/// Scheme, host and port are read strictly and must stand as browsers write them; behind them stands what the app likes, as far as a
/// browser would leave it unchanged. <https://url.spec.whatwg.org/#url-serializing>
struct PageAddress: Equatable {
    /// As it came; never put together anew.
    let url: String
    /// What `postMessage` and `Origin` compare.
    let origin: String
    let host: String

    /// In bytes.
    static let longest = 4096

    /// `nil` for anything else than such an address over https, or http on a loopback host.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.longest, bytes.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x3C && $0 != 0x3E }),
            let scheme = ["https://", "http://"].first(where: text.hasPrefix)
        else { return nil }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let path = rest.dropFirst(authority.count).prefix { $0 != "?" && $0 != "#" }
        guard path.first == "/", !path.contains("\\") else { return nil }
        // Users, backslashes, upper case, default ports and numbers that some readers take for addresses: no browser writes those.
        guard let uri = URI.parse(scheme + authority), uri.origin == scheme + authority, uri.isSecure || uri.isLoopback else { return nil }
        url = text
        origin = uri.origin
        host = uri.host
    }
}
