import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@testable import Accounts

/// Codes on phones: what opens with one, and what does not.
@Suite struct PhoneCodeTests {
    private func error(_ body: () async throws(AccountError) -> Void) async -> String {
        do throws(AccountError) {
            try await body()
            return "none"
        } catch { return String("\(error)".prefix { $0 != "(" }) }
    }

    @Test func `proves a number once, by six digits, for five minutes`() async throws {
        let fixture = try await PhoneFixture()
        let (session, digits) = try await fixture.send()
        #expect(digits.utf8.count == 6 && digits.utf8.allSatisfy { (0x30...0x39).contains($0) })
        let proven = try await fixture.codes.prove(digits, of: session, for: .signIn, in: fixture.project, from: fixture.client)
        #expect(proven.text == PhoneFixture.ada && proven.region == "DE")
        _ = try await fixture.base.database.write(all: fixture.codes.spend(proven, in: fixture.project))
        #expect(
            await error { () async throws(AccountError) in
                _ = try await fixture.codes.prove(digits, of: session, for: .signIn, in: fixture.project, from: fixture.client)
            } == "codeSessionUnknown")
        let late = try await fixture.send()
        fixture.base.time.advance(PhoneCodes.lifetime)
        #expect(
            await error { () async throws(AccountError) in
                _ = try await fixture.codes.prove(late.digits, of: late.session, for: .signIn, in: fixture.project, from: fixture.client)
            } == "codeSessionExpired")
    }

    @Test func `takes five tries of a code`() async throws {
        let fixture = try await PhoneFixture()
        let (session, digits) = try await fixture.send()
        for _ in 1...5 {
            #expect(
                await error { () async throws(AccountError) in
                    _ = try await fixture.codes.prove(
                        fixture.wrong(digits), of: session, for: .signIn, in: fixture.project, from: fixture.client)
                } == "wrongCode")
        }
        #expect(
            await error { () async throws(AccountError) in
                _ = try await fixture.codes.prove(digits, of: session, for: .signIn, in: fixture.project, from: fixture.client)
            } == "codeSessionExpired")
    }

    @Test(arguments: ["", "x", "AAAA", String(repeating: "A", count: 43), String(repeating: "A", count: 42) + "B", "\u{0}"])
    func `does not know a code by another text`(session: String) async throws {
        let fixture = try await PhoneFixture()
        _ = try await fixture.send()
        #expect(
            await error { () async throws(AccountError) in
                _ = try await fixture.codes.prove("123456", of: session, for: .signIn, in: fixture.project, from: fixture.client)
            } == "codeSessionUnknown")
    }

    /// Every step, account and pending sign-in against every other one.
    @Test func `SEC-25 opens no other step, account, pending sign-in or project with a code`() async throws {
        let fixture = try await PhoneFixture()
        let pending = [UInt8](repeating: 1, count: 32)
        let purposes: [PhonePurpose] = [
            .signIn, .enrol(accountID: "ada"), .enrol(accountID: "bob"), .mfaSignIn(accountID: "ada", factorID: "f", pending: pending),
            .mfaSignIn(accountID: "bob", factorID: "f", pending: pending),
            .mfaSignIn(accountID: "ada", factorID: "f", pending: [UInt8](repeating: 2, count: 32)),
        ]
        var other = fixture.project
        (other.id, other.storageID) = ("other", "other")
        for sent in purposes {
            let (session, digits) = try await fixture.send(for: sent)
            for used in purposes where used != sent {
                #expect(
                    await error { () async throws(AccountError) in
                        _ = try await fixture.codes.prove(digits, of: session, for: used, in: fixture.project, from: fixture.client)
                    } == "codeSessionUnknown")
            }
            #expect(
                await error { () async throws(AccountError) in
                    _ = try await fixture.codes.prove(digits, of: session, for: sent, in: other, from: fixture.client)
                } == "codeSessionUnknown")
            let proven = try await fixture.codes.prove(digits, of: session, for: sent, in: fixture.project, from: fixture.client)
            #expect(proven.factorID == sent.factorID)
        }
    }

    @Test func `SEC-24 compares no more than twenty guesses for a number, whatever its codes`() async throws {
        let fixture = try await PhoneFixture()
        var sessions: [(session: String, digits: String)] = []
        for _ in 1...10 { sessions.append(try await fixture.send(from: .init(userAgent: nil, address: "198.51.100.\(sessions.count)"))) }
        #expect(sessions.count == 10)
        var answers: [String: Int] = [:]
        await withTaskGroup(of: String.self) { group in
            for guess in 0..<200 {
                let (session, digits) = sessions[guess % 10]
                group.addTask {
                    do throws(AccountError) {
                        let client = Session.ClientInfo(userAgent: nil, address: "192.0.2.\(guess)")
                        _ = try await fixture.codes.prove(
                            fixture.wrong(digits), of: session, for: .signIn, in: fixture.project, from: client)
                        return "right"
                    } catch { return String("\(error)".prefix { $0 != "(" }) }
                }
            }
            for await answer in group { answers[answer, default: 0] += 1 }
        }
        #expect(answers["wrongCode", default: 0] == 20, "\(answers)")
        #expect(answers["right"] == nil)
        let (fresh, digits) = try await fixture.send()
        #expect(
            await error { () async throws(AccountError) in
                _ = try await fixture.codes.prove(digits, of: fresh, for: .signIn, in: fixture.project, from: fixture.client)
            } == "tooManyAttempts")
    }

    @Test func `SEC-23 sends few messages to a run of numbers, and none to a region that is not listed`() async throws {
        let fixture = try await PhoneFixture(limitsMessages: true)
        var sent = 0
        for number in 0..<200 {
            let text = "+49301234" + String(10_000 + number).dropFirst()
            do {
                _ = try await fixture.send(to: text, from: .init(userAgent: nil, address: "192.0.2.\(number)"))
                sent += 1
            } catch is AccountError {}
        }
        #expect(sent == 20)
        #expect(try await fixture.count("deliveries", where: "kind = 'sms'") == 20)
        #expect(throws: AccountError.self) { try PhoneDestination("+33123456789", in: fixture.project) }
        #expect(throws: AccountError.self) { try PhoneDestination("+12005550123", in: fixture.project) }
        var silent = fixture.project
        silent.phone.transport = nil
        #expect(throws: AccountError.self) { try PhoneDestination(.init(PhoneFixture.ada), in: silent) }
    }

    @Test func `SEC-23 pauses a region where hardly a code is entered`() async throws {
        var fixture = try await PhoneFixture()
        for number in 0..<50 {
            let (session, digits) = try await fixture.send(to: "+4930\(100_000 + number)")
            guard number < 9 else { continue }
            let proven = try await fixture.codes.prove(digits, of: session, for: .signIn, in: fixture.project, from: fixture.client)
            _ = try await fixture.base.database.write(all: fixture.codes.spend(proven, in: fixture.project))
        }
        await #expect(throws: AccountError.self) { try await fixture.send() }
        fixture.base.project.phone.pausesRegions = false
        await #expect(throws: AccountError.self, "what has begun goes on") { try await fixture.send() }
        fixture.base.project.phone.pausesRegions = true
        // Other regions, and test numbers of the same one, go on.
        _ = try await fixture.send(to: "+16505550101")
        fixture.base.project.phone.testNumbers = [PhoneFixture.bob: "123456"]
        _ = try await fixture.send(to: PhoneFixture.bob)
        fixture.base.time.advance(.seconds(3599))
        await #expect(throws: AccountError.self) { try await fixture.send() }
        fixture.base.time.advance(.seconds(2))
        _ = try await fixture.send()
    }

    @Test func `SEC-26 does the same for a number with an account and without`() async throws {
        let fixture = try await PhoneFixture()
        _ = try await fixture.signIn(PhoneFixture.ada)
        let before = try await fixture.count("deliveries", where: "kind = 'sms'")
        _ = try await fixture.send(to: PhoneFixture.ada)
        _ = try await fixture.send(to: PhoneFixture.bob)
        #expect(try await fixture.count("deliveries", where: "kind = 'sms' AND due_at < 'infinity'") - before == 2)
    }

    @Test func `SEC-26 stores a message that does not go out where apps make no accounts`() async throws {
        var fixture = try await PhoneFixture()
        _ = try await fixture.signIn(PhoneFixture.ada)
        let before = try await fixture.count("deliveries", where: "kind = 'sms'")
        let due = try await fixture.count("deliveries", where: "kind = 'sms' AND due_at < 'infinity'")
        fixture.base.project.signIn.signUp = false
        _ = try await fixture.send(to: PhoneFixture.ada)
        _ = try await fixture.send(to: PhoneFixture.bob)
        #expect(try await fixture.count("deliveries", where: "kind = 'sms'") - before == 2)
        #expect(try await fixture.count("deliveries", where: "kind = 'sms' AND due_at < 'infinity'") - due == 1)
    }

    @Test func `SEC-29 tries of a test number are counted, and nothing is sent to it`() async throws {
        var fixture = try await PhoneFixture()
        fixture.base.project.phone.testNumbers = ["+16505550101": "123456"]
        fixture.base.project.phone.regions = []
        let before = try await fixture.count("deliveries", where: "due_at < 'infinity'")
        var failures = 0
        for _ in 1...5 {
            let (session, digits) = try await fixture.send(to: "+16505550101")
            #expect(digits == "123456")
            for _ in 1...5 {
                let answer = await error { () async throws(AccountError) in
                    _ = try await fixture.codes.prove("654321", of: session, for: .signIn, in: fixture.project, from: fixture.client)
                }
                if answer == "wrongCode" { failures += 1 } else { #expect(answer == "tooManyAttempts") }
            }
        }
        #expect(failures == 20)
        #expect(try await fixture.count("deliveries", where: "due_at < 'infinity'") == before)
        #expect(try await fixture.count("sms_counters") == 0)
    }

    @Test func `SEC-30 keeps neither code nor number in the clear where it waits`() async throws {
        let fixture = try await PhoneFixture()
        let (_, digits) = try await fixture.send()
        let rows = try await fixture.base.database.query("SELECT payload FROM deliveries WHERE kind = 'sms'")
        let payload: [UInt8] = try #require(try rows.first?.value())
        for text in [digits, "4930123456"] { #expect(payload.ranges(of: Array(text.utf8)).isEmpty) }
        let codes = try await fixture.base.database.query("SELECT code_hash FROM sms_codes")
        let hash: [UInt8] = try #require(try codes.first?.value())
        #expect(hash.count == 32)
    }
}
