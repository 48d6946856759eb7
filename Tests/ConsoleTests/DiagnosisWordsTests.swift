import Accounts
import Pages
import ProjectSettings
import Runtime
import Testing

@testable import Console
@testable import Web

/// The words that pages and the command line have for what a rule says.
@Suite struct DiagnosisWordsTests {
    @Test func `each obstacle and each condition has a sentence of its own`() {
        let until = Instant(seconds: 1_760_000_000)
        let obstacles: [SignInObstacle] = [
            .tenantSwitchedOff, .notEnabled, .providerNotConfigured, .providerSwitchedOff, .limitReached(.password, .account, until: until),
            .noAddress, .noPassword, .noPhoneNumber, .numberNotReached, .noPasskey, .notLinked, .accountDisabled, .phoneBesideSecondFactor,
            .secondFactorUnknown,
        ]
        let conditions: [SignInCondition] = [.secondFactor(["phone", "Ada's key"]), .hook(.beforeSignIn), .passwordPolicy]
        let sentences = obstacles.map(\.sentence) + conditions.map(\.sentence)
        #expect(Set(sentences).count == sentences.count && sentences.allSatisfy { $0.hasSuffix(".") && !$0.contains("{") })
        #expect(obstacles[4].sentence.contains("password perAccount is used up") && obstacles[4].sentence.contains("2025-10-09"))
        #expect(conditions[0].sentence == "Then a second factor is asked for: phone, Ada's key.")
    }

    @Test func `each code of a failure that has words has them, with the code`() {
        for code in FailureWords.codes {
            let said = Console.english(FailureWords.word(Failure(code, "sub")), of: "confirm")
            #expect(said.hasSuffix("(\(code))."), "\(code)")
        }
        #expect(Console.english(FailureWords.word(Failure("FORBIDDEN_CLAIM", "sub")), of: "confirm").contains("claim sub of their own"))
        #expect(FailureWords.word(Failure("NEW_CODE", "a detail")) == .text("NEW_CODE: a detail"))
    }
}
