package import Text

extension Request {
    /// Whether something on this machine made the request, and meant this server by it: what development mode gives away, it gives to
    /// such requests alone (SEC-22).
    ///
    /// - The socket's own peer must be a loopback address, and nothing may say that a proxy stands in between: no proxy belongs before
    ///   development mode, and one on this machine, such as a tunnel, brings in the world.
    /// - `Host` must be a name that always means this machine: a page of somebody's whose name was pointed here after it was loaded (DNS
    ///   rebinding) would otherwise count as the server's own.
    package var isOfThisMachine: Bool {
        connectedFrom.isLoopback && !cameByProxy && headers.values("host").allSatisfy { ThisMachine.names($0.asString) }
            && headers.contains("host")
    }

    /// Whether a proxy left a trace, whatever it says.
    private var cameByProxy: Bool {
        var found = false
        headers.forEach { name, _ in
            found = found || name.starts(with: "x-forwarded".utf8) || ThisMachine.tracesOfProxies.contains { name.elementsEqual($0.utf8) }
        }
        return found
    }
}

/// What this machine is called on itself.
package enum ThisMachine {
    /// Fields, besides `X-Forwarded-*`, that proxies, tunnels and content networks add to what they pass on.
    static let tracesOfProxies = [
        "via", "forwarded", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "x-original-host", "true-client-ip", "cf-connecting-ip",
        "cf-ray", "fastly-client-ip", "fly-client-ip",
    ]

    /// Whether the host of `authority` (with or without a port) is `localhost`, a name below it, or a loopback address; or 10.0.2.2,
    /// which is this machine as Android's emulator calls it. <https://developer.android.com/studio/run/emulator-networking>
    package static func names(_ authority: String) -> Bool {
        guard let host = Authority.split(Array(authority.utf8)[...])?.host else { return false }
        return isLoopback(host: host) || host == "10.0.2.2"
    }

    /// Whether `host` (brackets included, where it has them) is `localhost`, a name below it, or a loopback address.
    package static func isLoopback(host: String) -> Bool {
        host == "localhost" || host.hasSuffix(".localhost")
            || (host.hasPrefix("[") ? Address(host.dropFirst().dropLast()) : Address(host))?.isLoopback == true
    }

    /// Whether a page of `origin` (the header's value) is this machine's own.
    package static func serves(origin: UTF8Text) -> Bool { URI.parse(origin).map { names($0.host) } ?? false }
}
