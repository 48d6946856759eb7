import Runtime

/// Finds parts of a database URL that libpq accepts, but understands differently from what the operator meant.
enum DatabaseURL {
    /// The fault of the URL, without any part of the URL, since that may be a password; `nil` for a good one and for `key=value` text.
    static func fault(of url: Secret) -> String? {
        let bytes = Array(url.reveal().utf8)
        guard let scheme = ["postgresql://", "postgres://"].first(where: { bytes.starts(with: $0.utf8) }) else { return nil }
        let rest = bytes.dropFirst(scheme.utf8.count)
        let authority = rest.prefix { $0 != slash }
        let path = rest.dropFirst(authority.count).prefix { $0 != question }
        guard authority.count(where: { $0 == at }) <= 1, !path.contains(at) else {
            return "has a / or an @ in its user name or password, where the host would begin; write / as %2F, @ as %40, % as %25"
        }
        let hosts = authority.split(separator: at, omittingEmptySubsequences: false).last ?? authority
        for host in hosts.prefix(while: { $0 != question }).split(separator: UInt8(ascii: ",")) {
            // The port stands behind the brackets of an IPv6 address.
            let name = host.lastIndex(of: UInt8(ascii: "]")).map { host[($0 + 1)...] } ?? host
            guard let colon = name.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let port = name[(colon + 1)...]
            guard let number = Int(String(decoding: port, as: UTF8.self)), (1...65535).contains(number) else {
                return port.isEmpty ? nil : "has a port that is not a number from 1 to 65535; / in a password is written %2F"
            }
        }
        return nil
    }

    private static let slash = UInt8(ascii: "/")
    private static let question = UInt8(ascii: "?")
    private static let at = UInt8(ascii: "@")
}
