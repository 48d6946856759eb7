import ArgumentParser
import Migration
import Text

/// The arguments of every import.
struct ImportOptions: ParsableArguments {
    @Argument(.project) var project: String

    @Flag(help: "Say what the import would do, and store nothing.")
    var dryRun = false

    @Flag(help: "Import without asking.")
    var yes = false

    @Flag(help: "Import the accounts that a cut file has before its end.")
    var acceptCut = false

    @Flag(help: "Also import accounts that were deleted here.")
    var restoreDeleted = false

    @Option(
        help: """
            The worth of an address that the source calls verified: proven, when its owner was asked by a mail; told, when an administrator of the \
            source may have said so by hand.
            """)
    var mails: ImportRules.Mails?

    @Option(help: "What to do with an account that has no password, no identity and no phone number: keep or skip.")
    var withoutCredential = ImportRules.WithoutCredential.keep

    @Option(
        help: """
            Try a login that you know before anything is stored: the address of an account. The password is asked for, or is the first line of \
            standard input.
            """)
    var verify: String?
}

extension ImportRules.Mails: ExpressibleByArgument {}
extension ImportRules.WithoutCredential: ExpressibleByArgument {}

/// The parameters of hashes, from a file: a key on the command line could be read by every user of the machine.
struct HashConfigOption: ParsableArguments {
    @Option(
        help: """
            The file with the parameters of the password hashes: the block that Firebase's console shows, or JSON. It contains a secret key.
            """, completion: .file())
    var hashConfig: String?

    func parameters() throws -> HashParameters? {
        guard let hashConfig else { return nil }
        do {
            var lines = FileLines(try InputFile(path: hashConfig))
            var bytes: [UInt8] = []
            while case .row(let line, _) = try lines.next() { bytes += line + [UInt8(ascii: "\n")] }
            guard let text = UTF8Text(validating: bytes) else { throw Failed("\(hashConfig) is not UTF-8") }
            return try HashParameters(reading: text)
        } catch let fault as HashParametersFault {
            throw Failed("\(hashConfig): \(fault)")
        } catch let failure as SourceFailure {
            throw Failed(failure.description)
        }
    }
}
