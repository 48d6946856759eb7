import Postgres
import ProjectSettings
import TestKit
import Text
import TextMessages

@testable import Accounts

/// A project in which people sign in by phone, and everything that its tests ask for.
struct PhoneFixture {
    var base: Fixture
    let client = Session.ClientInfo(userAgent: "test", address: "203.0.113.9")
    static let ada = "+4930123456"
    static let bob = "+4930123457"

    /// - Parameter limitsMessages: whether the usual limits of messages hold.
    init(limitsMessages: Bool = false, hooks: (any HookCaller)? = nil) async throws {
        base = try await Fixture(hooks: hooks)
        try await base.loadSigningKeys()
        base.project.phone.enabled = true
        base.project.phone.regions = ["DE", "US"]
        base.project.phone.transport = TextTransports.development
        guard !limitsMessages else { return }
        for action in [LimitedAction.sendSMS, .sendSMSDaily] {
            for (scope, _) in action.standard { base.project.limits[action, scope] = nil }
        }
    }

    var codes: PhoneCodes { base.accounts.phoneCodes }
    var project: ProjectSettings { base.project }

    /// Sends a code, and returns the text that names it and its digits.
    func send(
        to number: String = Self.ada, for purpose: PhonePurpose = .signIn, from other: Session.ClientInfo? = nil,
        in otherProject: ProjectSettings? = nil
    ) async throws -> (session: String, digits: String) {
        let settings = otherProject ?? project
        let session = try await codes.send(
            to: PhoneDestination(.init(number), in: settings), for: purpose, language: "en", appSignatureHash: nil, in: settings,
            from: other ?? client)
        let digits = try await codes.recent(in: settings).first { $0.session == session }?.code
        return (session, digits ?? "")
    }

    func signIn(
        _ number: String = Self.ada, linkingTo idToken: String? = nil, makesAccounts: Bool = true
    ) async throws -> (account: Account, session: Session, isNew: Bool) {
        let (session, digits) = try await send(to: number)
        let result = try await signIn(by: .code(digits, session: UTF8Text(session)), linkingTo: idToken, makesAccounts: makesAccounts)
        guard case .signedIn(let account, let outcome, let isNew) = result else { throw Unexpected.session }
        return (account, try outcome.session, isNew)
    }

    func signIn(
        by proof: PhoneSignIns.Proof, linkingTo idToken: String? = nil, makesAccounts: Bool = true
    ) async throws(AccountError) -> PhoneSignIns.Result {
        try await base.accounts.signIn.phones.signIn(
            by: proof, linkingTo: idToken, makesAccounts: makesAccounts, language: "en", in: project, from: client)
    }

    func idToken(_ account: Account, _ session: Session) throws -> String {
        try base.accounts.idTokens.issue(for: account, session, in: project)
    }

    /// Other digits than these.
    func wrong(_ digits: String) -> String { digits == "000000" ? "000001" : "000000" }

    func account(_ id: String) async throws -> Account? { try await base.accounts.directory.account(id, in: project) }

    func count(_ table: String, where condition: String = "true") async throws -> Int64 {
        let rows = try await base.database.query(.init(unsafe: "SELECT count(*) FROM \(table) WHERE \(condition)"))
        return try rows.first?.value() ?? 0
    }
}

extension PhoneCodes {
    /// With the session as the fixture has it.
    func prove(
        _ digits: String, of session: String, for purpose: PhonePurpose, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> ProvenNumber {
        try await prove(digits, of: UTF8Text(session), for: purpose, in: project, from: client)
    }
}
