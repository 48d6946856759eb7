package import Text

extension Request {
    /// Whether a program of this machine made the request, and addressed this server in it. Only such requests get what development mode
    /// gives away (SEC-22).
    ///
    /// - The peer of the socket must be a loopback address, and no header may show a proxy in between. Development mode must not be behind
    ///   a proxy: one on this machine, such as a tunnel, would let the whole internet in.
    /// - `Host` must be a name that always means this machine. Otherwise a page whose name was pointed to this machine after it was loaded
    ///   (DNS rebinding) would count as the server's own page.
    package var isOfThisMachine: Bool {
        connectedFrom.isLoopback && !cameByProxy && headers.values("host").allSatisfy { ThisMachine.names($0.asString) }
            && headers.contains("host")
    }

    /// Whether a proxy has left a trace in the headers, whatever its content.
    private var cameByProxy: Bool {
        var found = false
        headers.forEach { name, _ in
            found =
                found || ThisMachine.familiesOfProxies.contains { name.starts(with: $0.utf8) }
                || ThisMachine.tracesOfProxies.contains { name.elementsEqual($0.utf8) }
        }
        return found
    }
}

/// The names of this machine, as this machine uses them.
package enum ThisMachine {
    /// Headers that proxies, tunnels and content networks add to requests.
    static let tracesOfProxies = [
        "via", "forwarded", "cdn-loop", "client-ip", "true-client-ip", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "x-remote-ip",
        "x-rewrite-url", "x-amzn-trace-id",
    ]
    /// The beginnings of the names of more such headers.
    static let familiesOfProxies = [
        "x-forwarded", "x-original-", "x-envoy-", "x-azure-", "x-arr-", "x-appengine-", "x-nf-", "x-vercel-", "cf-", "fastly-", "fly-",
        "tailscale-",
    ]

    /// Whether the host of `authority` (with or without a port) is `localhost`, a name below it, a loopback address, or 10.0.2.2, the
    /// address of this machine in Android's emulator. <https://developer.android.com/studio/run/emulator-networking>
    package static func names(_ authority: String) -> Bool {
        guard let host = Authority.split(Array(authority.utf8)[...])?.host else { return false }
        return isLoopback(host: host) || host == "10.0.2.2"
    }

    /// Whether `host` (brackets included, where it has them) is `localhost`, a name below it, or a loopback address.
    package static func isLoopback(host: String) -> Bool {
        host == "localhost" || host.hasSuffix(".localhost")
            || (host.hasPrefix("[") ? Address(host.dropFirst().dropLast()) : Address(host))?.isLoopback == true
    }

    /// Whether a page of `origin` (the header's value) that made `request` belongs to this machine. 10.0.2.2 is this machine only for a
    /// page in Android's emulator, which reaches the server by the same address; elsewhere it is another machine's.
    package static func serves(origin: UTF8Text, to request: Request) -> Bool {
        guard let host = URI.parse(origin)?.host else { return false }
        return isLoopback(host: host)
            || names(host) && request.headers["host"].flatMap { URI.parse("http://\($0)" as UTF8Text) }?.host == host
    }
}
