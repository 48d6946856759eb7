import Identity
import ProjectSettings

extension Attempt {
    /// A message, as far as its client is charged.
    static func messages(from client: Session.ClientInfo, in project: ProjectSettings) -> Attempt {
        Attempt([.sendSMS, .sendSMSDaily], address: client.limitKey, in: project, halving: halving(project)) {
            $0 == .address ? [client.limitKey] : nil
        }
    }

    /// A message, as far as its number, the numbers around it, its region, the account that it is for, and the project are charged.
    ///
    /// A message for a sign-in that waits is not charged to its number and the numbers around it: strangers who know the number could use those
    /// up. Its account is charged, and the number was when it was enrolled.
    static func messages(
        to number: PossiblePhoneNumber, for purpose: PhonePurpose, in project: ProjectSettings, from client: Session.ClientInfo
    ) -> Attempt {
        Attempt([.sendSMS, .sendSMSDaily], address: client.limitKey, in: project, halving: halving(project)) { scope in
            switch scope {
            case .number where purpose.pending == nil: [number.text]
            case .prefix where purpose.pending == nil: [number.run]
            case .region: [number.region]
            case .account: purpose.accountID.map { [$0] }
            case .project: []
            default: nil
            }
        }
    }

    /// A try of the digits that were sent to a number. Wrong ones count for the number, over all its codes.
    static func phoneCode(of number: String, in project: ProjectSettings, from client: Session.ClientInfo) -> Attempt {
        Attempt([.phoneCode], address: client.limitKey, in: project) { scope in
            switch scope {
            case .number: [number]
            case .address: [client.limitKey]
            default: nil
            }
        }
    }

    /// Where any client may ask for a message, an address and the project get half as many.
    private static func halving(_ project: ProjectSettings) -> (LimitScope) -> Bool {
        { project.phone.captcha.check == nil && [.address, .project].contains($0) }
    }
}
