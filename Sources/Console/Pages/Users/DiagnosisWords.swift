package import Accounts
import Pages
import ProjectSettings
import Runtime

extension SignInObstacle {
    /// The same in English, for the command line.
    package var sentence: String { Console.english(word, of: "user") }

    /// The word that says what it is.
    var word: TemplateValue {
        switch self {
        case .tenantSwitchedOff: .word("obstacleTenantSwitchedOff")
        case .notEnabled: .word("obstacleNotEnabled")
        case .providerNotConfigured: .word("obstacleProviderNotConfigured")
        case .providerSwitchedOff: .word("obstacleProviderSwitchedOff")
        case .limitReached(let action, let scope, let until):
            .word(
                "obstacleLimitReached",
                ["limitName": .text("\(action.rawValue) \(scope.configKey)"), "limitUntil": .text(Timestamp.minute(until))])
        case .noAddress: .word("obstacleNoAddress")
        case .noPassword: .word("obstacleNoPassword")
        case .noPhoneNumber: .word("obstacleNoPhoneNumber")
        case .numberNotReached: .word("obstacleNumberNotReached")
        case .noPasskey: .word("obstacleNoPasskey")
        case .notLinked: .word("obstacleNotLinked")
        case .accountDisabled: .word("obstacleAccountDisabled")
        case .phoneBesideSecondFactor: .word("obstaclePhoneBesideSecondFactor")
        case .secondFactorUnknown: .word("obstacleSecondFactorUnknown")
        }
    }
}

extension SignInCondition {
    /// The same in English, for the command line.
    package var sentence: String { Console.english(word { $0 }, of: "user") }

    /// The word that says what it is.
    ///
    /// - Parameter shown: names as the reader may see them.
    func word(_ shown: (String) -> String) -> TemplateValue {
        switch self {
        case .secondFactor(let names):
            .word("conditionSecondFactor", ["factorNames": .text(shown(names.joined(separator: ", ")))])
        case .hook(let event): .word("conditionHook", ["hookName": .text(event.rawValue)])
        case .passwordPolicy: .word("conditionPasswordPolicy")
        }
    }
}
