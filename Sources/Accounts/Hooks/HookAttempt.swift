import Crypto
import ProjectSettings
import Synchronization
package import Text

/// The memory of one request about hooks. A sign-in that loses a race reads and decides again; the hooks are not asked again then, and a new
/// account keeps the id that they know.
package final class HookAttempt: Sendable {
    /// The language that the app asks for.
    let locale: String?
    /// The id of the account that the request makes, if it makes one.
    let newAccountID = AccountID.random()
    private let answers = Mutex<[Question: HookAnswer]>([:])

    private struct Question: Hashable {
        let event: HookEvent
        let accountID: UTF8Text
    }

    /// - Parameter languages: a tag, or a list of them as browsers send it, of which the first counts.
    package init(languages: UTF8Text?) {
        let ends = Set(",; ".utf8)
        locale = languages.map { UTF8Text(decoding: $0.utf8.prefix { !ends.contains($0) }).prefix(bytes: 64).asString }
    }

    func answer(to event: HookEvent, about accountID: String) -> HookAnswer? {
        answers.withLock { $0[Question(event: event, accountID: UTF8Text(accountID))] }
    }

    func keep(_ answer: HookAnswer, to event: HookEvent, about accountID: String) {
        answers.withLock { $0[Question(event: event, accountID: UTF8Text(accountID))] = answer }
    }
}

extension Session.ClientInfo {
    /// The id for an account that its request makes.
    var newAccountID: String { hooks?.newAccountID ?? AccountID.random() }
}
