import Accounts
import ArgumentParser
import Crypto
import Identity
import Migration
import ProjectSettings
import Projects
import Runtime
import Server

/// An import as a whole. It reads the source twice: first to tell what would become of it, then to store it.
struct ImportRun {
    /// The exit status when something was refused.
    private static let someRefused = ExitCode(3)

    private let options: ImportOptions
    private let rules: ImportRules
    private let origin: ImportOrigin
    private let access: UsersCommand.Access
    private let project: Project

    static func run(_ command: some ImportSourceCommand) async throws {
        let options = command.options
        let configuration = try command.common.soundConfiguration()
        let project = try configuration.named(options.project)
        let origin = try await command.origin()
        var rules = ImportRules(now: Clock.system.now())
        rules.mails = options.mails ?? origin.usualMails
        rules.withoutCredential = options.withoutCredential
        rules.rpID = project.settings.passkeys?.rpID
        rules.sendsMessages = project.settings.phone.sendsMessages
        rules.allowsPhoneSignIn = project.settings.phone.enabled
        try await UsersCommand.withAccounts(command.common, of: options.project, as: "import \(origin.kind)", needsFile: true) { access in
            let run = ImportRun(options: options, rules: rules, origin: origin, access: access, project: project)
            do { try await run() } catch let failure as SourceFailure { throw Failed(failure.description) }
        }
    }

    private func callAsFunction() async throws {
        let address = try options.verify.map(CommandSupport.canonical)
        let trial = try await preview(verifying: address)
        if let address { try await verify(address, trial) }
        try checkEnd(of: trial)
        let deletions = try await previewDeletions(trial)
        if !options.dryRun, try isWanted(trial, deletions: deletions) {
            for key in trial.hashKeys { try await imports.hashKeys.store(key, in: access.project) }
            try await store(after: trial)
        } else if trial.refused > 0 || trial.failure != nil {
            throw Self.someRefused
        }
    }

    private var rule: AccountImport.Rule { options.restoreDeleted ? .restore : .merge }
    private var imports: AccountImport { access.accounts.administration.imports }

    private func preview(verifying address: String?) async throws -> ImportPass {
        let report = origin.survey.map { FirebaseReport(survey: $0, project: project) }
        let rejected = try RejectedRows(of: origin)
        report?.printBefore()
        let pass = try await ImportPass.read(
            try origin.source(rules.now), rules, to: rejected, of: origin.survey?.count, verifying: address,
            notesPresent: origin.gone != nil, isTrial: true
        ) { batch in
            try await imports.preview(batch, rule, by: access.administrator)
        }
        // Zeros would stand before the reason.
        if let failure = pass.failure, pass.count + pass.skipped == 0 { throw failure }
        let counts = ImportReport(pass: pass, origin: origin.name, rejected: rejected.path)
        counts.printCounts(isTrial: true)
        if pass.failure == nil { report?.printDifference(from: pass.count + pass.skipped) }
        counts.printLosses()
        MissingProviders(identities: pass.providers, survey: origin.survey, project: project).report()
        return pass
    }

    private func store(after trial: ImportPass) async throws {
        let rejected = try RejectedRows(of: origin)
        let pass = try await ImportPass.read(
            try origin.source(rules.now), rules, to: rejected, of: trial.count, notesPresent: origin.gone != nil, isTrial: false
        ) { batch in
            try await imports.store(batch, rule, by: access.administrator)
        }
        ImportReport(pass: pass, origin: origin.name, rejected: rejected.path).printCounts(isTrial: false)
        if let failure = pass.failure, trial.failure == nil { throw failure }
        if origin.gone == .delete, !pass.present.isEmpty {
            let count = try await GoneAccounts(access: access, present: pass.present).delete()
            if count > 0 { Report.say("  \(count) deleted") }
        }
        if pass.refused > 0 || pass.failure != nil { throw Self.someRefused }
    }

    /// Says how many accounts are gone at the source, and gives the number of those that will be deleted.
    private func previewDeletions(_ trial: ImportPass) async throws -> Int {
        guard let rule = origin.gone, trial.failure == nil else { return 0 }
        let (unchanged, changed) = try await GoneAccounts(access: access, present: trial.present).counts()
        guard unchanged + changed > 0 else { return 0 }
        Report.say("\(unchanged + changed) accounts that an import made are not in \(origin.name) any more:")
        if unchanged > 0 {
            Report.say("  \(unchanged) \(rule == .delete ? "would be deleted" : "stay; with --delete they would be deleted")")
        }
        if changed > 0 { Report.say("  \(changed) stay, since they were changed here") }
        guard rule == .delete else { return 0 }
        if trial.present.isEmpty { throw Failed("\(origin.name) has no account at all, so --delete would delete all: nothing was done") }
        return unchanged
    }

    /// Throws when the source could not be read to its end, unless the operator takes what a cut file has.
    private func checkEnd(of trial: ImportPass) throws {
        guard let failure = trial.failure, !(failure.isCut && options.acceptCut) else { return }
        throw Failed(failure.description + (failure.isCut ? "; --accept-cut imports those before its end" : ""))
    }

    private func isWanted(_ trial: ImportPass, deletions: Int) throws -> Bool {
        if trial.outcome.created + trial.outcome.updated + deletions == 0 { return false }
        if options.yes { return true }
        guard let answer = Input.confirmation(of: "Import?") else {
            throw Failed("nothing was imported: add --yes to import without being asked, or --dry-run to only look")
        }
        if !answer { CommandSupport.remark("Nothing was imported.") }
        return answer
    }

    /// Throws unless the operator's password opens the account, by its hash in the source.
    private func verify(_ address: String, _ trial: ImportPass) async throws {
        guard let account = trial.verified else { throw Failed("no account of \(origin.name) has the address \(address)") }
        guard account.password != nil else { throw Failed("the account with the address \(address) has no password in \(origin.name)") }
        let password = try Input.password()
        if try await imports.verify(password, of: account, trial.hashKeys) {
            CommandSupport.remark("The password of \(address) fits its hash.")
        } else {
            throw Failed(Self.mistakes)
        }
    }

    private static let mistakes = """
        the password does not fit the hash, so nothing was imported. If it is the right one, then the parameters of the hashes are wrong, and every \
        person would be refused. Usual mistakes:
          - the salt separator is missing (Firebase's is often Bw==, one byte), or stands behind the password instead of the salt;
          - the key is the base64 text itself and not the bytes that it stands for;
          - the key is that of another project or tenant;
          - rounds and mem_cost are swapped;
          - salt and password are joined in the other order, or the number of rounds is another one.
        """
}
