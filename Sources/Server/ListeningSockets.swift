import HTTPServer

/// The sockets that the service manager opened for this server, checked against the configuration.
struct ListeningSockets {
    /// The name (`FileDescriptorName=`) of the sockets for `listen`.
    private static let apiName = "api"
    /// The name of the sockets for `operations.listen`.
    private static let operationsName = "operations"

    /// The name of the sockets for `console.listen`.
    private static let consoleName = "console"

    let api: [InheritedSocket]
    let console: [InheritedSocket]
    let operations: [InheritedSocket]

    /// Throws when a socket has an unknown name, or when the configuration says another address. A client would look for the server there,
    /// as `gatehouse reload` does.
    init(_ settings: ServerSettings, environment: [String: String]) throws(StartFailure) {
        let inherited: InheritedSockets
        do { inherited = try InheritedSockets(environment: environment) } catch { throw .sockets("\(error)") }
        let known: Set<String> = [Self.apiName, Self.operationsName, Self.consoleName]
        if let name = inherited.names.subtracting(known).min() {
            throw .sockets(
                "one has the name \(name); write FileDescriptorName=\(Self.apiName), \(Self.operationsName) or \(Self.consoleName) into its unit"
            )
        }
        api = inherited[Self.apiName]
        operations = inherited[Self.operationsName]
        console = inherited[Self.consoleName]
        try Self.require(api, at: settings.listen, key: "listen")
        try Self.require(operations, at: settings.operations, key: "operations.listen")
        try Self.require(console, at: settings.console?.listen, key: "console.listen")
    }

    private static func require(_ sockets: [InheritedSocket], at address: ListenAddress?, key: String) throws(StartFailure) {
        guard let first = sockets.first else { return }
        let given = ListenAddress(host: first.address, port: first.port)
        guard let address else { throw .sockets("\(first.name) listens on \(given), and \(key) is not configured") }
        guard sockets.contains(where: { $0.address == address.host && $0.port == address.port }) else {
            throw .sockets("\(first.name) listens on \(given), and \(key) says \(address); write the same address into both")
        }
    }
}
