import HTTP
import Text

/// An entry of `authorizedDomains` that is well formed and still would authorize nobody, or too many.
enum AuthorizedDomain {
    /// What is wrong with it and what to do, to stand behind the entry; `nil` for a good one.
    static func fault(of domain: String, development: Bool) -> String? {
        let host = domain.hasPrefix("*.") ? String(domain.dropFirst(2)) : domain
        guard let uri = URI.parse("https://\(host)") else { return "is not a host" }
        if domain != host {
            if uri.address != nil { return "is a wildcard on an address, which has no hosts below it; write the addresses themselves" }
            // `*.localhost` is this machine alone.
            if !host.contains("."), host != "localhost" {
                return "would authorize every host below .\(host); write at least two names behind the *"
            }
            if PublicSuffix.isKnown(host) {
                return "would authorize the sites of strangers, since anybody can get a host below .\(host); write your own domain"
            }
        }
        guard !development else { return nil }
        if host.hasPrefix("[") {
            return "is an IPv6 address, which frame-ancestors cannot name, so no page there could use a popup; give the host a name"
        }
        return nil
    }

    /// What an operator should know of an entry that is no fault.
    static func note(on domain: String) -> String? {
        let host = domain.hasPrefix("*.") ? String(domain.dropFirst(2)) : domain
        if domain != host {
            let doubt =
                "authorizes the sites of strangers if anybody can get a host below .\(host); write your own domain, unless it is yours"
            return PublicSuffix.looksLikeOne(host) ? doubt : nil
        }
        if PublicSuffix.isKnown(host) { return "is a domain that people get hosts below, not a site; write the host of your own site" }
        guard let uri = URI.parse("https://\(host)"), uri.address == nil, !host.contains("."), host != "localhost" else { return nil }
        return "has no dot, so it is a host of a private network alone; public sites have two names at least"
    }
}
