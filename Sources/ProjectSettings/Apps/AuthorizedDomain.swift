import Config
import HTTP

/// An entry of `authorizedDomains`. Finds entries that are well formed, and still would authorize no site, or too many.
package enum AuthorizedDomain {
    /// The host of an entry; of `*.example.com`, the host that it authorizes all hosts below.
    package static func host(of domain: String) -> String { domain.hasPrefix("*.") ? String(domain.dropFirst(2)) : domain }

    /// Reads `authorizedDomains` of a project's file. An entry that cannot work is a fault, a doubtful one is noted.
    static func read(_ section: Section, development: Bool) -> [String] {
        let domains = section.values(
            "authorizedDomains", expected: "a host name in lower case, without scheme or port; in quotes where it begins with *", domain)
        section.requireEntry("authorizedDomains", "so no redirect can succeed; add your app's host")
        for domain in domains {
            if let reason = fault(of: domain, development: development) {
                section.fault("authorizedDomains", "\(domain) \(reason)")
            } else if let note = note(on: domain) {
                section.note("authorizedDomains", "\(domain) \(note)")
            }
        }
        return domains
    }

    /// A host, `*.host`, or an IP address; lower case.
    private static func domain(_ text: String) -> String? {
        let host = host(of: text)
        guard let uri = URI.parse("https://\(host)"), uri.path.isEmpty || uri.path == "/", uri.query == nil, uri.fragment == nil,
            uri.port == 443, uri.host == host
        else { return nil }
        return text
    }

    /// The fault of an entry and what to do, as a sentence to stand behind the entry; `nil` for a good one.
    static func fault(of domain: String, development: Bool) -> String? {
        let host = host(of: domain)
        guard let uri = URI.parse("https://\(host)") else { return "is not a host" }
        if domain != host {
            if uri.address != nil { return "is a wildcard on an address, which has no hosts below it; write the addresses themselves" }
            // `*.localhost` means only this machine.
            if !host.contains("."), host != "localhost" {
                return "would authorize every host below .\(host); write at least two names behind the *"
            }
            if PublicSuffix.isKnown(host) {
                return "would authorize the sites of strangers, since other people can get hosts below .\(host); write your own domain"
            }
        }
        guard !development else { return nil }
        if host.hasPrefix("[") {
            return "is an IPv6 address, which frame-ancestors cannot name, so no page there could use a popup; give the host a name"
        }
        return nil
    }

    /// A note for the operator on an entry that is not a fault.
    static func note(on domain: String) -> String? {
        let host = host(of: domain)
        if domain != host {
            let doubt =
                "authorizes the sites of strangers if other people can get hosts below .\(host); write your own domain, unless it is yours"
            return PublicSuffix.looksLikeOne(host) ? doubt : nil
        }
        if PublicSuffix.isKnown(host) { return "is a domain below which people get hosts, not a site; write the host of your own site" }
        guard let uri = URI.parse("https://\(host)"), uri.address == nil, !host.contains("."), host != "localhost" else { return nil }
        return "has no dot, so it can only be a host of a private network; public sites have at least two names"
    }
}

extension ProjectSettings {
    /// Whether pages of `host` may start and receive sign-ins. An entry matches one host exactly, or, as `*.example.com`, all hosts below
    /// example.com.
    package func authorizes(host: String) -> Bool {
        authorizedDomains.contains { entry in
            entry.hasPrefix("*.") ? host.hasSuffix(entry.dropFirst(1)) : entry == host
        }
    }
}
