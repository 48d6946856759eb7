import Accounts
import ArgumentParser
import Crypto
import Identity
import Migration
import Projects
import Runtime
import Server

/// An import as a whole. It reads the source twice: first to tell what would become of it, then to store it.
struct ImportRun {
    /// The exit status when something was refused.
    private static let someRefused = ExitCode(3)

    private let options: ImportOptions
    private let rules: ImportRules
    private let source: () throws -> any AccountSource
    private let access: UsersCommand.Access
    private let project: Project

    static func run<Command: ImportSourceCommand>(_ command: Command) async throws {
        let options = command.options
        try options.requireFile()
        let now = Clock.system.now()
        var rules = ImportRules(now: now)
        rules.mails = options.mails ?? Command.usualMails
        rules.withoutCredential = options.withoutCredential
        let configuration = try command.common.soundConfiguration()
        guard let project = configuration.project(options.project) else {
            throw Failed(configuration.reasonWhyUnknown(options.project) ?? "")
        }
        try await UsersCommand.withAccounts(command.common, of: options.project, as: "import \(Command.kind)", needsFile: true) { access in
            let run = ImportRun(
                options: options, rules: rules, source: { try command.source(now: now) }, access: access, project: project)
            do { try await run() } catch let failure as SourceFailure { throw Failed(failure.description) }
        }
    }

    private func callAsFunction() async throws {
        let address = try options.verify.map(CommandSupport.canonical)
        let trial = try await preview(verifying: address)
        if let address { try await verify(address, trial) }
        try checkEnd(of: trial)
        if !options.dryRun, try isWanted(trial) {
            for key in trial.hashKeys { try await imports.hashKeys.store(key, in: access.project) }
            try await store(total: trial.count)
        } else if trial.refused > 0 || trial.failure != nil {
            throw Self.someRefused
        }
    }

    private var imports: AccountImport { access.accounts.administration.imports }

    private func preview(verifying address: String?) async throws -> ImportPass {
        let rejected = RejectedRows(of: options.file)
        let pass = try await ImportPass.read(try source(), rules, to: rejected, verifying: address, isTrial: true) { batch in
            try await imports.preview(batch, by: access.administrator)
        }
        let report = ImportReport(pass: pass, file: options.file, rejected: rejected.path)
        report.printCounts(isTrial: true)
        report.printLosses()
        report.printProviders(of: project)
        return pass
    }

    private func store(total: Int) async throws {
        let rejected = RejectedRows(of: options.file)
        let pass = try await ImportPass.read(try source(), rules, to: rejected, of: total, isTrial: false) { batch in
            try await imports.store(batch, by: access.administrator)
        }
        ImportReport(pass: pass, file: options.file, rejected: rejected.path).printCounts(isTrial: false)
        if pass.refused > 0 || pass.failure != nil { throw Self.someRefused }
    }

    /// Throws when the source could not be read to its end, unless the operator takes what a cut file has.
    private func checkEnd(of trial: ImportPass) throws {
        guard let failure = trial.failure, !(failure.isCut && options.acceptCut) else { return }
        throw Failed(failure.description + (failure.isCut ? "; --accept-cut imports those before its end" : ""))
    }

    private func isWanted(_ trial: ImportPass) throws -> Bool {
        if trial.outcome.created + trial.outcome.updated == 0 { return false }
        if options.yes { return true }
        guard let answer = Input.confirmation(of: "Import?") else {
            throw Failed("nothing was imported: add --yes to import without being asked, or --dry-run to only look")
        }
        if !answer { CommandSupport.remark("Nothing was imported.") }
        return answer
    }

    /// Throws unless the operator's password opens the account, by its hash in the source.
    private func verify(_ address: String, _ trial: ImportPass) async throws {
        guard let account = trial.verified else { throw Failed("no account of \(options.file) has the address \(address)") }
        guard account.password != nil else { throw Failed("the account with the address \(address) has no password in \(options.file)") }
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
