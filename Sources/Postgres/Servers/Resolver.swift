import Dispatch
import Glibc

/// Resolves host names away from the loop, since libpq would block on them.
enum Resolver {
    /// Calls back, on some queue, with `target` and every address of its hosts as `hostaddr`. It is unchanged when it names no host, a
    /// socket folder or addresses. A name that does not resolve is left out; when none is left, `reason` says so.
    static func resolve(
        _ target: ConnectionString, _ done: @escaping @Sendable (_ target: ConnectionString, _ reason: String?) -> Void
    ) {
        guard needsResolving(target) else { return done(target, nil) }
        DispatchQueue.global().async {
            let resolved = resolved(target, with: addresses)
            done(resolved ?? target, resolved == nil ? "cannot resolve \(target["host"] ?? "")" : nil)
        }
    }

    static func needsResolving(_ target: ConnectionString) -> Bool {
        guard target["hostaddr"] == nil, let hosts = target["host"] else { return false }
        return hosts.split(separator: ",", omittingEmptySubsequences: false).contains(where: isName)
    }

    /// One entry of `host`, `hostaddr` and `port` for each address; `nil` when there are no addresses.
    static func resolved(_ target: ConnectionString, with addresses: (String) -> [String]) -> ConnectionString? {
        let hosts = (target["host"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        let ports = (target["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        var entries: [(host: Substring, address: String, port: Substring)] = []
        for (index, host) in hosts.enumerated() {
            let port = ports.count == hosts.count ? ports[index] : ports.first ?? ""
            for address in isName(host) ? addresses(String(host)) : [""] { entries.append((host, address, port)) }
        }
        if entries.isEmpty { return nil }
        var result = target
        result["host"] = entries.map(\.host).joined(separator: ",")
        result["hostaddr"] = entries.map(\.address).joined(separator: ",")
        result["port"] = entries.map(\.port).joined(separator: ",")
        return result
    }

    private static func isName(_ host: Substring) -> Bool {
        if host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") { return false }
        var address = in6_addr()
        return inet_pton(AF_INET, String(host), &address) != 1 && inet_pton(AF_INET6, String(host), &address) != 1
    }

    private static func addresses(_ host: String) -> [String] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var addresses: [String] = []
        var info = first
        while let current = info {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let length = socklen_t(text.count)
            if getnameinfo(current.pointee.ai_addr, current.pointee.ai_addrlen, &text, length, nil, 0, NI_NUMERICHOST) == 0 {
                addresses.append(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
            }
            info = current.pointee.ai_next
        }
        return addresses
    }
}
