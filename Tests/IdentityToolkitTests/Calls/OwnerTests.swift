import Crypto
import HTTP
import JSON
import Postgres
import TestApp
import Testing
import Text

/// `Bearer owner`, projects made on the fly and ID tokens without a signature: for programs of the server's own machine, and for no other
/// caller (SEC-22).
@Suite struct OwnerTests {
    private static let project = "signIn: {anonymous: true}\ntokens: {algorithm: none}\n"

    private func call(
        _ app: TestApp, _ path: String, _ body: JSON, _ headers: [(String, String)] = [], from address: String = "127.0.0.1",
        key: String? = nil
    ) async throws -> (status: Int, json: JSON) {
        let response = await app.answer(try .ofThisMachine(.post, path, key.map { "key=\($0)" } ?? "", headers, body: body, from: address))
        return (response.status, try JSON.parse(response.body))
    }

    private func delete(
        _ app: TestApp, _ id: JSON, in project: String = "demo", _ headers: [(String, String)] = [], from address: String = "127.0.0.1"
    ) async throws -> Int {
        try await call(
            app, "/v1/projects/\(project)/accounts:delete", ["localId": id], [("authorization", "Bearer owner")] + headers, from: address
        ).status
    }

    private func accounts(_ app: TestApp) async throws -> Int64? {
        try await app.database.query("SELECT count(*) FROM accounts").first?.value()
    }

    /// Every way not to be a program of this machine.
    static let strangers: [(headers: [(String, String)], address: String)] = [
        ([], "192.0.2.1"), ([], "::ffff:192.0.2.1"), ([], "10.0.2.2"), ([("host", "auth.example.com")], "127.0.0.1"),
        ([("host", "localhost.evil.example")], "127.0.0.1"), ([("x-forwarded-for", "127.0.0.1")], "127.0.0.1"),
        ([("forwarded", "for=127.0.0.1")], "127.0.0.1"), ([("via", "1.1 tunnel")], "127.0.0.1"),
        ([("x-real-ip", "127.0.0.1")], "127.0.0.1"), ([("origin", "https://evil.example")], "127.0.0.1"),
        ([("origin", "null")], "127.0.0.1"), ([("sec-fetch-site", "cross-site")], "127.0.0.1"),
    ]

    @Test func `administers the development project and the ones it names`() async throws {
        let app = try await TestApp(project: Self.project, development: true)
        for (key, name) in [("key", "demo"), ("any", "demo"), ("project:suite-one", "suite-one"), ("project:suite-two", "suite-two")] {
            let made = try await call(app, "/v1/accounts:signUp", [:], key: key).json
            #expect(try await accounts(app) == 1)
            #expect(try await delete(app, try #require(made["localId"]), in: name) == 200)
            #expect(try await accounts(app) == 0)
        }
        let recorded: [String] = try await app.database.query("SELECT DISTINCT actor FROM audit_events").map { try $0.value() }
        #expect(recorded == ["owner"])
    }

    @Test func `SEC-22 is unknown from elsewhere, and makes no project there`() async throws {
        let app = try await TestApp(project: Self.project, development: true)
        let made = try await call(app, "/v1/accounts:signUp", [:], key: "key").json
        let id = try #require(made["localId"])
        for stranger in Self.strangers {
            for project in ["demo", "never-made"] {
                let status = try await delete(app, id, in: project, stranger.headers, from: stranger.address)
                #expect(status == 401 || status == 403, "\(stranger)")
            }
        }
        #expect(try await accounts(app) == 1)
        // Another project of the files.
        #expect(try await delete(app, id, in: "other") == 401)
        for name in ["abc", "Upper", "emulator", "under_score", String(repeating: "x", count: 31)] {
            #expect(try await delete(app, id, in: name) == 400)
        }
    }

    @Test func `SEC-22 is unknown in production`() async throws {
        let app = try await TestApp(project: "signIn: {anonymous: true}\n")
        let made = try await call(app, "/v1/accounts:signUp", [:], key: "key").json
        for project in ["demo", "other", "never-made"] {
            #expect(try await delete(app, try #require(made["localId"]), in: project) == 401)
        }
        #expect(try await call(app, "/v1/accounts:signUp", [:], key: "project:never-made").status == 400)
        #expect(try await accounts(app) == 1)
    }

    @Test func `SEC-22 tokens without a signature are for this machine, and others get signed ones`() async throws {
        let app = try await TestApp(project: Self.project, development: true)
        let token = try #require(try await call(app, "/v1/accounts:signUp", [:], key: "key").json["idToken"])
        #expect(token.string?.asString.hasSuffix(".") == true)
        #expect(try await call(app, "/v1/accounts:lookup", ["idToken": token], key: "key").status == 200)
        for stranger in Self.strangers {
            let refused = try await call(
                app, "/v1/accounts:lookup", ["idToken": token], stranger.headers, from: stranger.address, key: "key")
            #expect(refused.json["error"]?["message"] == "INVALID_ID_TOKEN", "\(stranger)")
            let other = try await call(app, "/v1/accounts:signUp", [:], stranger.headers, from: stranger.address, key: "key")
            let signed = try #require(other.json["idToken"]?.string?.asString, "\(stranger)")
            #expect(!signed.hasSuffix("."), "\(stranger)")
            let found = try await call(
                app, "/v1/accounts:lookup", ["idToken": .string(signed)], stranger.headers, from: stranger.address, key: "key")
            #expect(found.status == 200, "\(stranger)")
        }
    }

    @Test func `SEC-22 keys of projects on the fly are for this machine`() async throws {
        let app = try await TestApp(project: Self.project, development: true)
        #expect(try await call(app, "/v1/accounts:signUp", [:], key: "project:suite-one").status == 200)
        for stranger in Self.strangers.prefix(9) {
            for project in ["suite-one", "never-made"] {
                let refused = try await call(
                    app, "/v1/accounts:signUp", [:], stranger.headers, from: stranger.address, key: "project:\(project)")
                #expect(refused.json["error"]?["status"] == "INVALID_ARGUMENT", "\(stranger)")
            }
        }
        #expect(try await call(app, "/v1/accounts:signUp", [:], key: "project:other").status == 400)
    }

    @Test func `makes at most a thousand projects`() async throws {
        let app = try await TestApp(project: Self.project, development: true)
        for number in 0..<1000 {
            let answer = try await call(app, "/v1/accounts:lookup", [:], key: "project:suite-\(number)")
            #expect(answer.json["error"]?["message"] == "INVALID_ID_TOKEN" || answer.json["error"]?["message"] == "MISSING_ID_TOKEN")
        }
        #expect(try await call(app, "/v1/accounts:lookup", [:], key: "project:suite-1000").json["error"]?["status"] == "INVALID_ARGUMENT")
        #expect(try await delete(app, "x", in: "suite-1000") == 400)
        #expect(try await delete(app, "x", in: "suite-999") != 401)
    }
}
