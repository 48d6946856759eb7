package import ProjectSettings
package import Runtime
import Text

extension HookQuestion {
    /// A question about a person who does not exist, by which an operator tries a hook.
    package init(trying event: HookEvent, id: String, at now: Instant) {
        let address = "ada@example.com"
        let subject: Subject
        switch event {
        case .beforeCreate, .beforeSignIn:
            var account = Account(id: "made-up-by-hooks-test", at: now)
            account.email = address
            account.displayName = "Ada Example"
            account.passwordUpdatedAt = now
            subject = .signIn(HookedSignIn(account: account, method: SignInProvider.password, secondFactor: nil, credential: nil))
        case .beforeSendEmail: subject = .mail(.signIn, to: address)
        case .beforeSendSms: subject = .message(.signIn, to: "+15555550100")
        }
        let client = Session.ClientInfo(userAgent: "gatehouse hooks test", address: "127.0.0.1")
        self.init(event, id: id, from: client, about: subject)
    }
}
