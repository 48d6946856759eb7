import Accounts
import HTTP
import JOSE
import Pages
import Runtime
import Text
import Web

/// The keys that sign ID tokens and session cookies: their ages, and what each does now.
struct KeysPage: ConsolePage {
    static let path = "/keys"
    static let place = ConsolePlace.keys

    func callAsFunction(_ visit: ConsoleVisit) async throws -> ConsoleView {
        let keys = SigningKeyStore.statuses(of: try await visit.accounts.operators.keys.list(), at: visit.now)
        let kinds = SigningKeyPurpose.allCases.flatMap { purpose in purpose.algorithms.map { (purpose, $0) } }
        return ConsoleView(
            "keys",
            [
                "keys": .list(
                    keys.map { key, status in
                        [
                            "kid": .text(key.kid), "purpose": .word(key.purpose.rawValue), "algorithm": .text(key.algorithm),
                            "created": .text(Timestamp.minute(key.createdAt)), "state": status.words,
                        ]
                    }),
                "mayRotate": .flag(visit.may(RotateKey.role)),
                "kinds": .list(
                    kinds.map { purpose, algorithm in
                        [
                            "purpose": .word(purpose.rawValue), "algorithm": .text(algorithm.rawValue),
                            "rotate": .text(visit.link("/keys/\(purpose.rawValue)/\(algorithm.rawValue)/rotate")),
                        ]
                    }),
            ])
    }
}

extension SigningKeyStore.Status {
    fileprivate var words: TemplateValue {
        switch self {
        case .waits(let signsFrom): .word("waits", ["time": .text(Timestamp.minute(signsFrom))])
        case .signs(let since, nil): .word("signs", ["time": .text(Timestamp.minute(since))])
        case .signs(let since, let until?):
            .word("signsUntil", ["time": .text(Timestamp.minute(since)), "until": .text(Timestamp.minute(until))])
        case .verifies(let until): .word("verifies", ["until": .text(until.map(Timestamp.minute))])
        case .retired(let since): .word("retired", ["time": .text(Timestamp.minute(since))])
        }
    }
}

/// Publishes a new key, which signs two hours later, when every cache has it: the rule of `gatehouse keys rotate`. A key that leaked is a matter for
/// the command line.
struct RotateKey: ConsoleAct {
    static let path = "/keys/{purpose}/{algorithm}/rotate"
    static let place = ConsolePlace.keys
    static let role = Operator.Role.admin
    static let isDangerous = true

    func confirmation(_ visit: ConsoleVisit) async throws -> ConsoleConfirmation {
        let (purpose, algorithm) = try kind(visit)
        return ConsoleConfirmation(
            "rotateKey", ["isIDToken": .flag(purpose == .idToken), "algorithm": .text(algorithm.rawValue)], cancel: visit.link("/keys"))
    }

    func perform(_ form: Form, _ visit: ConsoleVisit) async throws -> ConsoleOutcome {
        let (purpose, algorithm) = try kind(visit)
        do { try await visit.accounts.operators.keys.rotate(algorithm, for: purpose, by: visit.act) } catch let waiting as RotationWaits {
            throw ConsoleFault(
                "faultWaits", ["waitingKey": .text(waiting.kid), "signsFrom": .text(Timestamp.minute(waiting.signsFrom))])
        } catch is RotationUnderWay { throw ConsoleFault("faultUnderWay") }
        return .goes(to: visit.link("/keys"), note: "rotated")
    }

    private func kind(_ visit: ConsoleVisit) throws -> (SigningKeyPurpose, Algorithm) {
        guard let purpose = SigningKeyPurpose.allCases.first(where: { UTF8Text($0.rawValue) == visit.parameter("purpose") }),
            let algorithm = purpose.algorithms.first(where: { UTF8Text($0.rawValue) == visit.parameter("algorithm") })
        else { throw Failure.notFound }
        return (purpose, algorithm)
    }
}
