import HTTP
import Text

/// The address of an app's page as its SDK gives it (`location.href`), to which a result will be sent.
///
/// Scheme, host and port are read strictly and must be written as browsers write them. Behind them, the app may use anything that a
/// browser would leave unchanged. <https://url.spec.whatwg.org/#url-serializing>
struct PageAddress: Equatable {
    /// Unchanged; never put together again.
    let url: String
    /// The origin, which `postMessage` and `Origin` compare.
    let origin: String
    let host: String

    /// In bytes.
    static let longest = 4096

    /// `nil` unless it is such an address over https, or over http on a loopback host.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.longest, bytes.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x3C && $0 != 0x3E }),
            let scheme = ["https://", "http://"].first(where: text.hasPrefix)
        else { return nil }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let path = rest.dropFirst(authority.count).prefix { $0 != "?" && $0 != "#" }
        guard path.first == "/", !path.contains("\\") else { return nil }
        // Browsers never write users, backslashes, upper case, default ports, or numbers that some readers treat as addresses.
        guard let uri = URI.parse(scheme + authority), uri.origin == scheme + authority, uri.isTrustworthy else { return nil }
        url = text
        origin = uri.origin
        host = uri.host
    }
}
