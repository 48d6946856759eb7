import Accounts
import ArgumentParser
import Identity
import JSON
import Text

/// The fields of an account that a command can set.
struct AccountFields: ParsableArguments {
    @Option(help: "The account's address.")
    var email: String?

    @Option(help: "Whether the address is verified: true or false.")
    var verified: Bool?

    @Option(help: "The phone number, such as +15551234567; an empty text takes it away.")
    var phone: String?

    @Option(help: "The name; an empty text takes it away.")
    var name: String?

    @Option(help: "The address of a picture; an empty text takes it away.")
    var photo: String?

    @Flag(help: "Read a password from standard input; on a terminal, it is asked for and not shown.")
    var password = false

    static let options = "--email, --verified, --phone, --name, --photo, --password"

    var isEmpty: Bool { !password && verified == nil && [email, phone, name, photo].allSatisfy { $0 == nil } }

    /// The change that the fields ask for. Throws `Failed` for a value that no account can have.
    func change() throws -> AdministratorChange {
        var change = AdministratorChange()
        if let email { change.own.email = try CommandSupport.canonical(email) }
        change.emailVerified = verified
        if let phone {
            guard phone.isEmpty || PhoneNumber.isE164(UTF8Text(phone)) else {
                throw Failed("\(CommandSupport.visible(phone)) is not a phone number such as +15551234567")
            }
            change.phoneNumber = phone.isEmpty ? .clear : .set(phone)
        }
        change.own.displayName = try Self.text(name, most: ProfileText.longestName, "name")
        change.own.photoURL = try Self.text(photo, most: ProfileText.longestURL, "photo")
        if case .set(let url) = change.own.photoURL, !ProfileText.isPicture(url) {
            throw Failed("the photo does not begin with https://, http:// or data:image/")
        }
        if password { change.own.password = try Input.password() }
        return change
    }

    private static func text(_ text: String?, most: Int, _ what: String) throws -> FieldUpdate<String> {
        guard let text else { return .keep }
        guard !text.isEmpty else { return .clear }
        guard ProfileText.isFit(text, most: most) else {
            throw Failed("the \(what) is longer than \(most) characters, or has control characters")
        }
        return .set(text)
    }
}

extension UsersCommand {
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Make an account, and print its id.")

        @OptionGroup var common: CommonOptions

        @Argument(.project) var project: String

        @OptionGroup var fields: AccountFields

        @Option(help: "The account's id; a random one without it.")
        var id: String?

        @Flag(help: "Make it disabled.")
        var disabled = false

        func run() async throws {
            if let id, !AccountID.isPossible(UTF8Text(id)) {
                throw Failed("an id has 1 to \(AccountID.longest) characters, and no control characters")
            }
            var change = try fields.change()
            if disabled { change.disabled = true }
            try await UsersCommand.withAccounts(common, of: project, as: "users create", needsFile: true) { access in
                print(try await access.accounts.administration.accounts.create(id, change, by: access.administrator).id)
            }
        }
    }

    struct Update: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "update", abstract: "Change an account. Another address or password ends its sessions.")

        @OptionGroup var common: CommonOptions

        @Argument(.project) var project: String

        @Argument(.account) var account: String

        @OptionGroup var fields: AccountFields

        @Option(
            help: "The id of a provider to unlink; password for the password and links in mails. Can be given several times.",
            completion: .providers)
        var unlink: [String] = []

        @Option(help: "The id of a passkey to remove, as users get prints it. Can be given several times.")
        var removePasskey: [String] = []

        @Flag(help: "Take away the second factors of the account, so that one proof signs in again.")
        var dropSecondFactors = false

        func validate() throws {
            guard fields.isEmpty, unlink.isEmpty, removePasskey.isEmpty, !dropSecondFactors else { return }
            throw ValidationError("Name what to change: \(AccountFields.options), --unlink, --remove-passkey or --drop-second-factors.")
        }

        func run() async throws {
            var change = try fields.change()
            change.own.unlinked = Set(unlink.map { UTF8Text($0) })
            if dropSecondFactors { change.secondFactors = [] }
            try await UsersCommand.withAccounts(common, of: project, as: "users update", needsFile: fields.password) { access in
                if !removePasskey.isEmpty {
                    guard let present = try await access.accounts.directory.account(account, in: access.project) else {
                        throw AccountError.accountNotFound
                    }
                    change.own.removedPasskeys = try present.passkeys(removePasskey)
                }
                let account = try await access.accounts.administration.accounts.update(account, change, by: access.administrator)
                Terminal.write(account.lines)
            }
        }
    }

    struct Claims: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "claims", abstract: "Print the claims that an account's tokens have besides the usual ones, or set them.",
            discussion: "Tokens get the claims when they are refreshed, within an hour.")

        @OptionGroup var common: CommonOptions

        @Argument(.project) var project: String

        @Argument(.account) var account: String

        @Argument(help: "A JSON object in place of all present claims, such as '{\"admin\": true}'; '{}' for none.")
        var claims: String?

        func run() async throws {
            try await UsersCommand.withAccounts(common, of: project, as: "users claims") { access in
                let changed: Account
                if let claims {
                    var change = AdministratorChange()
                    change.customAttributes = try CustomClaims.checked(UTF8Text(claims)).map(FieldUpdate.set) ?? .clear
                    changed = try await access.accounts.administration.accounts.update(account, change, by: access.administrator)
                } else {
                    guard let found = try await access.accounts.directory.account(account, in: access.project) else {
                        throw AccountError.accountNotFound
                    }
                    changed = found
                }
                Terminal.write((changed.customAttributes ?? "{}") + "\n")
            }
        }
    }
}

extension Account {
    /// The credential ids of its passkeys with these ids. Throws `Failed` for one that it does not have.
    fileprivate func passkeys(_ ids: [String]) throws -> Set<[UInt8]> {
        try Set(
            ids.map { id in
                guard let passkey = passkeys.first(where: { $0.id == id }) else {
                    throw Failed("the account has no passkey \(CommandSupport.visible(id))")
                }
                return passkey.credentialID
            })
    }
}
