import Accounts
import Crypto
import JSON
import Runtime
package import Text

/// The users of Auth0 as its export job writes them, a JSON object on each line, and their password hashes, which are in a file of their own.
/// <https://auth0.com/docs/manage-users/user-migration/bulk-user-exports>
package struct Auth0Source: AccountSource {
    /// Which part of Auth0's `user_id`, such as `auth0|5dea9f9c82dd7c0e76e4ec93`, becomes the account's id: back ends store one of them.
    package enum UserID: String, Sendable, CaseIterable {
        case full
        /// Without the connection and the bar behind it.
        case tail
    }

    private var rows: JSONRows
    private var hashes: Auth0Hashes
    private var faults: ArraySlice<ImportFault>
    private let userID: UserID
    private var names: ProviderNames
    private var found = SourceLosses()
    private var isAtEnd = false

    /// Reads the file of hashes, of which an index stays in memory.
    /// - Parameters:
    ///   - passwords: the path of the file of hashes.
    ///   - names: what the operator says about Auth0's connections: their names, and providers of ours.
    package init(path: String, passwords: String?, userID: UserID, names: [UTF8Text: String] = [:]) throws(SourceFailure) {
        hashes = try Auth0Hashes(path: passwords)
        faults = hashes.faults[...]
        rows = JSONRows(lines: try InputFile(path: path))
        self.userID = userID
        self.names = ProviderNames(Auth0Identity.providers, own: names)
    }

    package var losses: SourceLosses {
        var losses = found
        guard isAtEnd else { return losses }
        names.noteUnmet(in: &losses)
        if hashes.untaken > 0 { losses.add("password hash of a user that the file of users does not have", hashes.untaken) }
        return losses
    }

    package mutating func next() throws(SourceFailure) -> SourceEntry? {
        if let fault = faults.popFirst() { return .fault(fault) }
        switch try rows.next() {
        case .row(let user, let line):
            do throws(ImportFault) { return .account(try account(user, at: line)) } catch { return .fault(error) }
        case .fault(let fault): return .fault(fault)
        case nil:
            isAtEnd = true
            return nil
        }
    }

    private mutating func account(_ user: JSON.Object, at line: Int) throws(ImportFault) -> SourceAccount {
        guard let id = user.text("user_id"), let bar = id.utf8.firstIndex(of: UInt8(ascii: "|")) else {
            throw ImportFault(.invalidID, "the row has no user_id with a connection and a bar; export the field user_id", place: line)
        }
        let tail = UTF8Text(decoding: Array(id.utf8[id.utf8.index(after: bar)...]))
        var account = SourceAccount(id: (userID == .full ? id : tail).asString, place: line)
        readProfile(user, into: &account)
        account.createdAt = try time("created_at", of: user, account)
        account.lastLoginAt = try time("last_login", of: user, account)
        account.passwordUpdatedAt = try time("last_password_reset", of: user, account)
        guard let identities = user["identities"]?.array?.compactMap(\.object), !identities.isEmpty else {
            throw fault(.invalidIdentity, "the user has no identities; export the field identities", account)
        }
        for (position, identity) in identities.enumerated() {
            guard let identity = Auth0Identity(identity, profile: position == 0 ? user : nil, &names) else {
                throw fault(.invalidIdentity, "an identity has no provider or no user_id", account)
            }
            try add(identity, of: user, to: &account)
        }
        return account
    }

    private mutating func readProfile(_ user: JSON.Object, into account: inout SourceAccount) {
        account.email = user.text("email")?.asString
        account.emailVerified = user["email_verified"]?.bool ?? false
        // Auth0 takes the address where a user has no name.
        account.displayName = user.text("name").flatMap { $0 == user.text("email") ? nil : $0.asString }
        account.photoURL = user.text("picture")?.asString
        account.disabled = user["blocked"]?.bool ?? false
        account.customAttributes = user.claims("app_metadata")
        if user.claims("user_metadata") != nil { found.add("user metadata (user_metadata)") }
        if user.text("username") != nil { found.add("user name: people sign in with their address here") }
        if let number = user.text("phone_number") {
            if user["phone_verified"]?.bool == true {
                account.phoneNumber = number.asString
            } else {
                found.add("phone number that its owner never confirmed: another person may have typed it")
            }
        }
        account.secondFactors = secondFactors(of: user)
    }

    /// Exports name the systems by which a user has a second factor, and nothing that proves it.
    private mutating func secondFactors(of user: JSON.Object) -> String? {
        var factors = SourceFactors()
        for name in user["multifactor"]?.array?.compactMap(\.string) ?? [] {
            factors.addUnknown(SourceFactors.Enrollment(id: name.asString, name: name.asString))
            found.add("second factor: its secret is in no export of Auth0")
        }
        return factors.text
    }

    private mutating func add(_ identity: Auth0Identity, of user: JSON.Object, to account: inout SourceAccount) throws(ImportFault) {
        switch identity.kind {
        case .upstream(let linked): account.identities.append(linked)
        case .emailCode: account.emailLinkSignIn = true
        case .phoneCode: break
        case .password(let id):
            do throws(PasswordHashFault) {
                guard let (password, setAt) = try hashes.take(id) else {
                    return found.add("password: the file of hashes does not have it")
                }
                account.password = password
                account.passwordUpdatedAt = setAt ?? account.passwordUpdatedAt
            } catch { throw fault(.invalidHash, "\(error)", account) }
        }
    }

    private func time(_ name: UTF8Text, of user: JSON.Object, _ account: SourceAccount) throws(ImportFault) -> Instant? {
        guard let text = user.text(name) else { return nil }
        guard let time = SourceTime.instant(text) else { throw fault(.invalidTime, "\(name) is not a time in ISO 8601", account) }
        return time
    }

    private func fault(_ code: ImportFault.Code, _ message: String, _ account: SourceAccount) -> ImportFault {
        ImportFault(code, message, accountID: account.id, place: account.place)
    }
}
