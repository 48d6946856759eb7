@testable import Accounts
import Identity
import Postgres
import ProjectSettings
import Runtime
import Synchronization
import TestKit
import Testing
import Text

/// People of Firebase who have no account here when they come.
@Suite struct JustInTimeImportTests {
    /// The people whom Firebase has, by id, and the questions about them.
    private final class People: FormerAccounts {
        struct State {
            var accounts: [String: Account] = [:]
            var faults: [String: ImportFault.Code] = [:]
            var isDown = false
            var questions = 0
        }
        let state = Mutex(State())

        func accounts(
            of person: FormerPerson, in project: ProjectSettings, _ migration: FirebaseMigration
        ) async throws(AccountError) -> [Result<ImportedAccount, ImportFault>] {
            let state = state.withLock { state in
                state.questions += 1
                return state
            }
            if state.isDown { throw .formerIssuerUnavailable("down") }
            return state.accounts.values.filter { account in
                switch person {
                case .id(let id): account.id == id
                case .address(let email): account.email == email
                case .identity(let providerID, let subjects, let email):
                    email != nil && account.email == email
                        || account.identities.contains { $0.providerID == providerID && subjects.contains($0.subject) }
                }
            }.map { account in
                if let code = state.faults[account.id] { return .failure(ImportFault(code, "no", accountID: account.id)) }
                return .success(ImportedAccount(account, password: nil, place: 0))
            }
        }
    }

    private let people = People()
    private var firebase: FirebaseFixture
    private var fixture: Fixture { firebase.fixture }
    private var accounts: Accounts { firebase.fixture.accounts }
    private var project: ProjectSettings { firebase.fixture.project }

    init() async throws {
        firebase = try await FirebaseFixture(people)
        firebase.fixture.project.firebaseMigration?.unknownUsers = .import
        firebase.fixture.project.signIn.signUp = true
    }

    /// Firebase has the person, who has an address and an identity.
    private func has(_ id: String, _ change: (inout Account) -> Void = { _ in }) {
        var account = Account(id: id, at: firebase.now - .seconds(100 * 86_400))
        account.validSince = account.createdAt
        account.email = "\(id)@example.com"
        account.emailVerified = true
        account.emailProven = true
        account.emailLinkSignIn = true
        account.identities = [LinkedIdentity(providerID: "oidc.acme", subject: "subject of \(id)", email: account.email)]
        change(&account)
        people.state.withLock { $0.accounts[id] = account }
    }

    private var questions: Int { people.state.withLock { $0.questions } }

    private func lookup(_ id: String) async throws -> Account {
        try await accounts.idTokens.account(of: firebase.token(id, signedIn: .seconds(86_400)), in: project).0
    }

    private func count(_ outcome: String) -> Int? {
        fixture.metrics.lines(of: "gatehouse_migration_imports_total").first { $0.contains("outcome=\"\(outcome)\"") }
            .flatMap { $0.split(separator: " ").last }.flatMap { Int($0) }
    }

    @Test func `an ID token of Google's brings its person, whole and once`() async throws {
        has("ada") {
            $0.customAttributes = #"{"plan": "gold"}"#
            $0.phoneNumber = "+15555550100"
            $0.displayName = "Ada"
        }
        let account = try await lookup("ada")
        #expect(account.customAttributes == #"{"plan": "gold"}"# && account.phoneNumber == "+15555550100" && account.displayName == "Ada")
        #expect(account.email == "ada@example.com" && account.emailProven && account.has("oidc.acme"))
        _ = try await lookup("ada")
        #expect(questions == 1)
        let rows = try await fixture.database.query("SELECT action FROM audit_events WHERE account_id = 'ada'")
        #expect(try rows.map { try $0.value(as: String.self) } == ["account.imported"])
        #expect(try await fixture.database.query("SELECT 1 FROM imported_accounts WHERE account_id = 'ada'").count == 1)
    }

    @Test func `a refresh token of Google's brings its person, and one who is disabled there is disabled here`() async throws {
        has("bea")
        has("cyd") { $0.disabled = true }
        _ = try await firebase.open(firebase.session("bea", signedIn: .seconds(86_400)), for: "AMf-vBx7yqJ0p5Yb3cW1")
        #expect(
            await refusal { _ = try await firebase.open(firebase.session("cyd", signedIn: .seconds(60)), for: "AMf-vBx7yqJ0p5Yb3cW2") }
                == "accountDisabled")
        #expect(await refusal { _ = try await lookup("cyd") } == "accountDisabled")
    }

    @Test func `a custom token opens Firebase's account in place of an empty one`() async throws {
        has("dan")
        try await accounts.justInTime.bring(unlessHere: "dan", in: project)
        #expect(try await accounts.directory.account("dan", in: project)?.email == "dan@example.com")
        try await accounts.justInTime.bring(unlessHere: "dan", in: project)
        #expect(questions == 1)
    }

    @Test func `no second account gets an address that Firebase has`() async throws {
        has("eda")
        #expect(
            await refusal {
                _ = try await accounts.signIn.signUps.signUp(
                    email: "eda@example.com", password: "a password", displayName: nil, in: project, from: Fixture.here)
            } == "emailTaken")
        #expect(try await accounts.directory.account(email: "eda@example.com", in: project)?.id == "eda")
        #expect(try await accounts.directory.isFree("new@example.com", in: project))
    }

    @Test func `a provider's person has the account that they have at Firebase, also where the address is another`() async throws {
        has("fay")
        var identity = ProviderIdentity(providerID: "oidc.acme", issuer: Fixture.issuer, subject: "subject of fay")
        identity.email = "new@example.com"
        let signedIn = try await accounts.signIn.federated.signIn(
            with: ProvenIdentity(identity), .signIn(mayCreate: true), language: "en", in: project, from: Fixture.here)
        guard case .signedIn(let account, _, isNewUser: false, emailRecycled: false) = signedIn else { throw Unexpected() }
        #expect(account.id == "fay")
    }

    @Test func `an account that was deleted here stays deleted, and its address is free`() async throws {
        has("gil")
        _ = try await lookup("gil")
        try await accounts.deletion.delete("gil", by: Administrator(command: "users delete", of: project))
        #expect(await refusal { _ = try await lookup("gil") } == "accountNotFound")
        #expect(questions == 1)
        #expect(try await accounts.directory.account(email: "gil@example.com", in: project) == nil)
        let (account, _) = try await accounts.signIn.signUps.signUp(
            email: "gil@example.com", password: "a password", displayName: nil, in: project, from: Fixture.here)
        #expect(account.id != "gil" && count("deletedHere") == 3)
        // The record of the deletion outlives other events until the window is over.
        fixture.time.advance(.seconds(20 * 86_400))
        let cleanup = Cleanup(database: fixture.database, clock: fixture.time.clock, retention: Retention(audit: .seconds(86_400)))
        try await cleanup.run(for: [project])
        #expect(await refusal { _ = try await lookup("gil") } == "accountNotFound")
        var over = project
        over.firebaseMigration = nil
        try await cleanup.run(for: [over])
        #expect(try await fixture.database.query("SELECT 1 FROM audit_events").isEmpty)
    }

    @Test func `SEC-54 a record takes nothing from an account that is here`() async throws {
        has("hal")
        var refusing = project
        refusing.firebaseMigration?.unknownUsers = .refuse
        let (holder, _) = try await accounts.signIn.signUps.signUp(
            email: "hal@example.com", password: "a password", displayName: nil, in: refusing, from: Fixture.here)
        #expect(await refusal { _ = try await lookup("hal") } == "accountNotFound")
        #expect(count("refused") == 1)
        #expect(try await accounts.directory.account(email: "hal@example.com", in: project)?.id == holder.id)
    }

    @Test func `where a rule refuses the record, nobody else gets its address`() async throws {
        has("ivy")
        people.state.withLock { $0.faults["ivy"] = .invalidPhoneNumber }
        #expect(try await accounts.directory.isFree("ivy@example.com", in: project) == false)
        #expect(try await accounts.directory.account(email: "ivy@example.com", in: project) == nil)
    }

    @Test func `while Firebase does not answer, nothing is decided`() async throws {
        has("jan")
        people.state.withLock { $0.isDown = true }
        for call in [
            { _ = try await self.lookup("jan") },
            { _ = try await self.accounts.directory.isFree("jan@example.com", in: self.project) },
            { try await self.accounts.justInTime.bring(unlessHere: "jan", in: self.project) },
        ] as [() async throws -> Void] {
            #expect(await refusal(call) == #"formerIssuerUnavailable("down")"#)
        }
        #expect(count("unavailable") == 3)
        people.state.withLock { $0.isDown = false }
        #expect(try await lookup("jan").id == "jan")
    }

    @Test func `asks nothing without the setting, after the window, and for a token that has expired`() async throws {
        has("kit")
        var refusing = project
        refusing.firebaseMigration?.unknownUsers = .refuse
        #expect(
            await refusal { _ = try await accounts.idTokens.account(of: firebase.token("kit", signedIn: .zero), in: refusing) }
                == "accountNotFound")
        let token = try firebase.token("kit", signedIn: .zero)
        fixture.time.advance(.seconds(3601))
        #expect(await refusal { _ = try await accounts.idTokens.account(of: token, in: project) } == "accountNotFound")
        fixture.time.advance(FirebaseFixture.until)
        #expect(try await accounts.directory.isFree("kit@example.com", in: project))
        #expect(questions == 0)
    }

    @Test func `two requests at once make one account, and one person is asked about three hundred times an hour`() async throws {
        has("lea")
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<10 { group.addTask { try await lookup("lea").id } }
            for try await id in group { #expect(id == "lea") }
        }
        #expect(count("imported") == 1)
        for _ in 0..<300 { #expect(await refusal { _ = try await lookup("stranger") } == "accountNotFound") }
        #expect(await refusal { _ = try await lookup("stranger") }?.hasPrefix("tooManyAttempts") == true)
        #expect(count("unknown") == 300 && count("limited") == 1)
    }

    private struct Unexpected: Error {}
}
