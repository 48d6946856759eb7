import Accounts
import HTTP
import Pages
import ProjectSettings
import Text

/// The pages of the second step.
extension HostedVisit {
    func addSecondFactor(_ page: HostedPage, _ content: HostedContent, to values: inout [String: TemplateValue]) {
        guard let step = secondStep else { return }
        values["ways"] = .list(
            step.pages.filter { $0 != page }.map { other in
                ["id": .text(other.rawValue), "link": .text(path(other)), "label": .word("to" + other.rawValue.firstInUpperCase)]
            })
        values["isRecovery"] = .flag(page == .recoveryCode)
        values["isPasskey"] = .flag(page == .passkey)
        values["hasCode"] = .flag(page != .passkey)
        // A recovery code is for a person who has lost something, and their browser may be another person's.
        values["mayRemember"] = .flag(settings.multiFactor.rememberDevice != nil && page != .recoveryCode)
        let kind =
            switch page {
            case .phoneCode: "phone"
            case .passkey: "passkey"
            case .recoveryCode: "recovery"
            default: ""
            }
        for name in ["heading", "text", "label", "hint"] {
            values[name] = .word(kind.isEmpty ? name : kind + name.firstInUpperCase)
        }
        if page == .secondFactor, step.waiting.hasMailedDigits {
            for name in ["text", "label", "hint"] { values[name] = .word("mailed" + name.firstInUpperCase) }
        }
        if page == .phoneCode { addPhones(of: step, content, to: &values) }
    }

    private func addPhones(of step: SecondStep, _ content: HostedContent, to values: inout [String: TemplateValue]) {
        let isOver = content.faults.contains { $0.word == FormFault.phoneLate.word }
        let session = isOver ? nil : content.form["session"]
        let factor = content.form["factor"]
        values["hasCode"] = .flag(session != nil)
        values["session"] = session.map { .text($0.asString) }
        values["factor"] = .text(factor?.asString)
        let number = step.phones.first { phone in factor.map { $0 == phone.id } ?? false }?.maskedNumber
        if session != nil, let number { values["text"] = .word("phoneSentText", ["number": .text(number)]) }
        values["phones"] = .list(
            step.phones.enumerated().map { place, phone in
                let word = session == nil ? "phoneSend" : "phoneAgain"
                return [
                    "id": .text(phone.id), "button": .text("send-\(place)"),
                    "label": .word(word, ["number": .text(phone.maskedNumber)]),
                ]
            })
    }
}

extension String {
    fileprivate var firstInUpperCase: String { prefix(1).uppercased() + dropFirst() }
}
