import Curl
import HTTP
import JSON
import ProjectSettings
import Runtime
import Synchronization
import TestKit
import Text

@testable import Migration

/// Google's answers about the Firebase project `acme-prod`, by the paths of the calls, and the pauses between attempts.
final class GoogleDouble: Sendable {
    let fixture: FirebaseFixture
    private let waited = Mutex<[Duration]>([])
    private let said = Mutex<[String]>([])

    init() throws {
        fixture = try FirebaseFixture()
        fixture.upstream.answer(GoogleAddress.accessTokens, ["access_token": "ya29.a", "expires_in": 3599])
    }

    var pauses: [Duration] { waited.withLock { $0 } }

    /// The reason and the length of each pause, as the operator learns them before it.
    var told: [String] { said.withLock { $0 } }

    var attempts: GoogleAttempts {
        GoogleAttempts(
            tell: { [self] failure, pause in said.withLock { $0.append("\(failure), \(pause.wholeSeconds) s") } },
            wait: { [self] pause in waited.withLock { $0.append(pause) } })
    }

    var calls: GoogleCalls {
        GoogleCalls(
            projectID: "acme-prod", account: fixture.migration.serviceAccount, upstream: fixture.upstream, access: GoogleAccess(),
            clock: fixture.time.clock)
    }

    /// - Parameter path: behind `/v1/projects/acme-prod`, where it has no other version.
    func answer(_ path: String, _ json: JSON, status: Int = 200) { fixture.upstream.answer(url(path), json, status: status) }

    func refuse(_ path: String, _ status: Int, _ message: JSON = "INTERNAL") {
        answer(path, ["error": ["code": .integer(Int64(status)), "message": message]], status: status)
    }

    /// The answers of one call, one after another, the last one again and again.
    func answer(_ path: String, inTurn answers: [(Int, JSON)]) {
        let position = Mutex(0)
        fixture.upstream.answer(url(path)) { _ in
            let place = position.withLock { position in
                defer { position += 1 }
                return min(position, answers.count - 1)
            }
            return OutboundResponse(status: answers[place].0, body: answers[place].1.bytes())
        }
    }

    func count(_ path: String) -> Int { fixture.upstream.count(url(path)) }

    private func url(_ path: String) -> String {
        GoogleAddress.identityToolkit + (path.utf8.starts(with: "/v2".utf8) ? path : "/v1/projects/acme-prod" + path)
    }
}
