extension Request {
    /// Whether something on this machine made the request, and meant this server by it: what development mode gives away, it gives to
    /// such requests alone (SEC-22).
    ///
    /// - The socket's own peer must be a loopback address. What a proxy says of its client cannot make it one, but can unmake it: every
    ///   address in a forwarding header must be a loopback one too, so that a proxy on this machine does not bring in the world.
    /// - `Host` must be a name that always means this machine: a page of somebody's whose name was pointed here after it was loaded (DNS
    ///   rebinding) would otherwise count as the server's own.
    package var isOfThisMachine: Bool {
        connectedFrom.isLoopback && forwardedFor.allSatisfy { $0?.isLoopback == true }
            && headers.values("host").allSatisfy(ThisMachine.names) && headers.contains("host")
    }

    /// All addresses that proxies wrote down; `nil` stands for what cannot be read.
    private var forwardedFor: [Address?] {
        let listed = ["x-forwarded-for", "x-real-ip"].flatMap { headers.values($0) }.flatMap {
            $0.split(separator: ",", omittingEmptySubsequences: false).map { Forwarded.address(String(Substring($0.utf8.trimmingSpaces))) }
        }
        let forwarded = headers.values("forwarded").flatMap { value in
            Forwarded.elements(value)?.map { Forwarded.address($0.client) } ?? [nil]
        }
        return listed + forwarded
    }
}

/// What this machine is called on itself.
package enum ThisMachine {
    /// Whether the host of `authority` (with or without a port) is `localhost`, a name below it, or a loopback address; or 10.0.2.2,
    /// which is this machine as Android's emulator calls it. <https://developer.android.com/studio/run/emulator-networking>
    package static func names(_ authority: String) -> Bool {
        guard let host = Authority.split(Array(authority.utf8)[...])?.host else { return false }
        if host == "localhost" || host.hasSuffix(".localhost") || host == "10.0.2.2" { return true }
        return (host.hasPrefix("[") ? Address(host.dropFirst().dropLast()) : Address(host))?.isLoopback == true
    }

    /// Whether a page of `origin` (the header's value) is this machine's own.
    package static func serves(origin: String) -> Bool { URI.parse(origin).map { names($0.host) } ?? false }
}
