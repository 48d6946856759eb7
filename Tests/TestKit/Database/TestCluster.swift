import Glibc
package import Postgres
package import Runtime

/// A PostgreSQL server for tests: shared by all of them, or one that a test may stop and start.
package actor TestCluster {
    private static let first = Task { () throws in
        guard let url = getenv("GATEHOUSE_TEST_DATABASE") else { return try start() }
        let cluster = try TestCluster(folder: nil, url: Secret(String(cString: url)))
        try await cluster.sweep()
        return cluster
    }

    /// The cluster that tests share.
    package static func shared() async throws -> TestCluster { try await first.value }

    /// A private cluster, removed when the process has ended.
    package static func start() throws -> TestCluster {
        var template = Array("/tmp/gatehouse-test-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw SystemError("mkdtemp") }
        let folder = String(cString: made)
        return try TestCluster(folder: folder, url: Secret(script("start \(folder) --while \(getpid())")))
    }

    package nonisolated let url: Secret
    private let folder: String?
    private let server: Database
    private var templates: [String: Task<String, any Error>] = [:]
    private var count = 0

    private init(folder: String?, url: Secret) throws {
        self.folder = folder
        self.url = url
        var settings = TestDatabase.settings
        // Only one, so that it keeps the session's lock from statement to statement.
        settings.writeConnections = 1
        server = try TestDatabase.open(url, settings)
    }

    /// Stops the server at once, as a crash would; the data stays.
    package func stop() throws {
        _ = try Self.script("stop \(try ownFolder)")
    }

    /// Starts a stopped server again, under the same URL.
    package func restart() throws {
        _ = try Self.script("start \(try ownFolder)")
    }

    private var ownFolder: String {
        get throws {
            guard let folder else { throw TestClusterError(reason: "only a private cluster can be stopped") }
            return folder
        }
    }

    /// The URL of a new database, empty or with this schema.
    package func database(from schema: Schema?) async throws -> Secret {
        var template = "template0"
        if let schema { template = try await self.template(schema) }
        count += 1
        let name = "test_\(getpid())_\(count)"
        _ = try await server.write(SQL(unsafe: "DROP DATABASE IF EXISTS \(name) WITH (FORCE)"))
        _ = try await server.write(SQL(unsafe: "CREATE DATABASE \(name) TEMPLATE \(template)"))
        return try ConnectionString(url).database(name).text
    }

    /// Drops the databases of processes that have ended.
    private func sweep() async throws {
        for row in try await server.query("SELECT datname::text FROM pg_database WHERE datname LIKE 'test\\_%'") {
            let name: String = try row.value()
            let parts = name.split(separator: "_")
            guard parts.count == 3, let process = pid_t(parts[1]), kill(process, 0) != 0 else { continue }
            _ = try await server.write(SQL(unsafe: "DROP DATABASE IF EXISTS \(name) WITH (FORCE)"))
        }
    }

    private func template(_ schema: Schema) async throws -> String {
        let name = "template_\(schema.fingerprint.prefix(16))"
        let task = templates[name] ?? Task { try await make(name, schema) }
        templates[name] = task
        return try await task.value
    }

    /// Makes the template unless another process already has.
    private func make(_ name: String, _ schema: Schema) async throws -> String {
        _ = try await server.write("SELECT 1 FROM pg_advisory_lock(7)")
        let known = try await server.write("SELECT 1 FROM pg_database WHERE datname = \(name)")
        if known.isEmpty {
            let draft = "\(name)_draft"
            _ = try await server.write(SQL(unsafe: "DROP DATABASE IF EXISTS \(draft)"))
            _ = try await server.write(SQL(unsafe: "CREATE DATABASE \(draft) TEMPLATE template0"))
            _ = try await schema.migrate(url: try ConnectionString(url).database(draft).text)
            _ = try await server.write(SQL(unsafe: "ALTER DATABASE \(draft) RENAME TO \(name)"))
        }
        _ = try await server.write("SELECT 1 FROM pg_advisory_unlock(7)")
        return name
    }

    /// Runs `scripts/test-database` and returns its output, without the end of the line. Its errors are on standard error.
    private static func script(_ arguments: String) throws -> String {
        guard let pipe = popen("'\(Repository.root)/scripts/test-database' \(arguments)", "r") else { throw SystemError("popen") }
        var output = ""
        var line = [CChar](repeating: 0, count: 4096)
        while fgets(&line, Int32(line.count), pipe) != nil {
            output += String(decoding: line.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
        }
        guard pclose(pipe) == 0 else { throw TestClusterError(reason: "scripts/test-database \(arguments) failed; see standard error") }
        return String(output.split(separator: "\n").last ?? "")
    }
}

package struct TestClusterError: Error, CustomStringConvertible {
    let reason: String
    package var description: String { reason }
}
