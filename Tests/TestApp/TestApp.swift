package import Accounts
package import HTTP
import HTTPServer
package import JSON
import Logging
package import Postgres
package import Projects
import Runtime
import Server
import TestKit
package import Text
import Web

/// The server as a whole but for its sockets: configuration files, loop, rules, a database of its own. Calls are answered in process.
package final class TestApp: Sendable {
    package let database: Database
    private let worker: Worker
    private let process: ProcessContext

    /// - Parameters:
    ///   - project: what the file of the project `demo`, whose API key is `key`, says besides what is required.
    ///   - server: lines of `gatehouse.yaml` besides what is required.
    ///   - development: whether the server is in development mode, with `demo` for its project. Requests need a `Host` then.
    package init(project: String = "", server: String = "", development: Bool = false) async throws {
        let projects = try TestFolder([
            "demo.yaml": "project: demo\nnumber: 7\napiKeys: [key]\nauthorizedDomains: [localhost, app.example.com]\n" + project,
            "other.yaml": "project: other\nnumber: 8\napiKeys: [other-key]\nauthorizedDomains: [other.example.com]\n",
        ])
        let mode =
            development
            ? "publicURL: http://localhost:8080\ndevelopment: true\ndevelopmentProject: demo" : "publicURL: https://auth.example.com"
        let folder = try TestFolder([
            "gatehouse.yaml": """
            \(mode)
            database: {env: DATABASE}
            # These bounds only end a test that hangs. The console's own connections have shorter ones (DatabaseSettings.ofConsole).
            databasePool: {statementTimeout: 10m, wait: 10m}
            masterKey: {env: MASTER_KEY}
            projects: \(projects.path)
            mail: {transport: log, from: no-reply@example.com}
            \(server)
            """
        ])
        let key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
        let environment = ["DATABASE": try await TestDatabase.make().reveal(), "MASTER_KEY": key]
        let configuration = try withExtendedLifetime((projects, folder)) {
            try Configuration.load(from: folder.path + "/gatehouse.yaml", environment: environment)
        }
        process = ProcessContext(configuration, output: try LogOutput(), clock: .system, log: TestDatabase.silent)
        worker = try Worker(index: 0, process)
        database = worker.database
        let keyStore = SigningKeyStore(database: database, masterKey: configuration.server.masterKey, clock: .system)
        try await Self.signingKeys.fill(database) { try await keyStore.load(into: SigningKeys()) }
        try await keyStore.load(into: process.signingKeys)
    }

    private static let signingKeys = SharedRows(tables: SigningKeyPurpose.allCases.map(\.table))

    /// An answer with JSON in it.
    package struct Answer: Sendable {
        package let status: Int
        package let json: JSON

        package init(status: Int, json: JSON) {
            self.status = status
            self.json = json
        }

        /// `CODE` or `CODE : detail` of an error; `nil` for a success.
        package var error: String? { json["error"]?["message"]?.string?.asString }
        package func text(_ name: UTF8Text) -> String { json[name]?.string?.asString ?? "" }
    }

    /// A POST of JSON with the project's API key: `signUp` stands for `/v1/accounts:signUp`.
    package func post(_ call: String, _ body: JSON) async throws -> Answer {
        let path = call.hasPrefix("/") ? call : "/v1/accounts:\(call)"
        let response = await answer(
            Request(
                method: .post, path: path, query: "key=key", headers: ["content-type": "application/json"], body: Array(body.text().utf8)))
        return Answer(status: response.status, json: try JSON.parse(response.body))
    }

    /// As a connection of the loop has requests answered.
    package func answer(_ request: Request) async -> Response { await answer(request, by: worker.app) }

    /// The same at the console's listener.
    package func console(_ request: Request) async -> Response {
        guard let console = worker.console else { return Response(status: 599) }
        return await answer(request, by: console)
    }

    private func answer(_ request: Request, by handler: some RequestHandler) async -> Response {
        await Task(executorPreference: worker.loop) {
            switch handler.answer(request) {
            case .ready(let response): return response
            case .pending(let work): return await work()
            }
        }.value
    }

    /// The rules of accounts, on this database.
    package var accounts: Accounts { worker.services.accounts }

    /// The metrics as `/metrics` shows them.
    package var metrics: String { worker.services.metrics.text() }

    /// A reload replaces them.
    package var projects: ProjectDirectory { process.projects }

    /// How often the database is asked by `call`.
    package func roundTrips(_ call: () async throws -> Void) async rethrows -> Int {
        let before = database.roundTrips
        try await call()
        return database.roundTrips - before
    }
}
