import Runtime

/// An act of an operator at the console that is about no account, for its row in the audit. `nil` where a rule takes one stands for a command.
package struct OperatorAct: Sendable {
    let name: String
    let reason: String?
    let client: Session.ClientInfo

    package init(by person: Operator, because reason: String?, from client: Session.ClientInfo) {
        name = person.name
        self.reason = reason
        self.client = client
    }

    func audited(at time: Instant) -> AuditedAct {
        AuditedAct(by: .operator(name), on: nil, from: client, at: time, operatorReason: reason)
    }
}

extension AuditedAct {
    /// An act of an operator, or of the command of this name where there is none.
    init(_ act: OperatorAct?, orCommand command: String, at time: Instant) {
        if let act {
            self = act.audited(at: time)
        } else {
            self.init(by: .command(command), on: nil, from: nil, at: time)
        }
    }
}
