package import Accounts
package import Crypto
import JSON
import Text

/// Writes accounts as files that `firebase auth:import` and the Admin SDKs read.
///
/// An import into Firebase has one hash algorithm with one set of parameters, and `firebase auth:import` refuses a whole file for one member or
/// provider that it does not know. So there is a file for each algorithm with its parameters, one for the accounts without a password, and
/// beside each of them one for the accounts that only the Admin SDK takes.
package struct FirebaseExport: Sendable {
    /// A file of the export.
    package struct File: Sendable, Hashable {
        /// `nil` for accounts without a password.
        let hash: FirebaseHash?
        let isForAdminSDK: Bool

        package var name: String { "\(hash?.fileName ?? "without-password")\(isForAdminSDK ? ".admin" : "").json" }

        /// The text before the first account.
        package var beginning: String {
            guard isForAdminSDK, let hash else { return #"{"users":["# + "\n" }
            return #"{"hash":\#(hash.options.text()),"users":["# + "\n"
        }

        /// The text between two accounts.
        package static let separator = ",\n"
        /// The text behind the last account.
        package static let end = "\n]}\n"
    }

    /// How many accounts each file has.
    package private(set) var counts: [File: Int] = [:]
    package private(set) var losses = SourceLosses()

    package static let scriptName = "import.sh"

    package init() {}

    /// The file of an account, and its record there.
    package mutating func add(_ account: Account, _ hash: PasswordHash?) -> (file: File, record: [UInt8]) {
        let algorithm = algorithm(of: hash)
        let record = FirebaseRecord(
            account: account, hash: algorithm == nil ? nil : hash, phones: phones(of: account), identities: identities(of: account))
        if account.profile != nil { losses.add("profile of OpenID Connect (address, birthday and the like): Firebase has no field for it") }
        if !account.passkeys.isEmpty { losses.add("passkeys: Firebase has none, and a person with passkeys alone could not sign in there") }
        let file = File(hash: algorithm, isForAdminSDK: !record.fitsCommandLine)
        counts[file, default: 0] += 1
        var json = JSONWriter()
        if file.isForAdminSDK { record.writeForAdminSDK(to: &json) } else { record.writeForCommandLine(to: &json) }
        return (file, json.bytes)
    }

    private mutating func algorithm(of hash: PasswordHash?) -> FirebaseHash? {
        guard let hash else { return nil }
        do throws(FirebaseHash.Unsupported) { return try FirebaseHash(hash) } catch {
            losses.add("password: Firebase cannot check hashes of \(error.scheme)")
            return nil
        }
    }

    private mutating func phones(of account: Account) -> [JSON] {
        guard let text = account.secondFactors, let factors = (try? JSON.parse(text))?.array else { return [] }
        let phones = factors.filter { $0["phoneInfo"]?.string != nil }
        if phones.count < factors.count {
            losses.add("second factor other than a phone: Firebase's imports take none, so the account would sign in by one factor")
        }
        return phones
    }

    private mutating func identities(of account: Account) -> [LinkedIdentity] {
        account.identities.filter { identity in
            guard identity.providerID.isExactly("microsoft.com"), UTF8Text(identity.subject).hasPrefix("sub:") else { return true }
            losses.add("identity of Microsoft that is known by its pairwise subject alone, until its person signs in")
            return false
        }
    }

    /// The shell script that imports the files, in the order of their names.
    package var script: String {
        let files = counts.keys.sorted { UTF8Text($0.name) < UTF8Text($1.name) }
        var lines = [
            "#!/bin/sh", "# Imports the accounts of these files into a project of Firebase. Needs the Firebase CLI 15.19.0 or newer.",
            "set -eu", "cd \"$(dirname \"$0\")\"", ": \"${FIREBASE_PROJECT:?set it to the id of the project at Firebase}\"",
        ]
        let keys = Set(files.filter { !$0.isForAdminSDK }.map { $0.hash?.variables ?? [] }).filter { !$0.isEmpty }
        if !keys.isEmpty {
            lines.append("# The project that made the hashes shows these at Authentication > Users > the menu > Password hash parameters.")
        }
        for variables in keys.sorted(by: { $0.joined() < $1.joined() }) {
            for (variable, name) in zip(variables, ["base64_signer_key", "base64_salt_separator"]) {
                lines.append(": \"${\(variable):?set it to \(name) of that project}\"")
            }
        }
        for file in files {
            if file.isForAdminSDK {
                lines.append("echo \"\(file.name): the CLI would refuse it; import it with importUsers of the Admin SDK\" >&2")
            } else {
                lines.append("firebase auth:import \(file.name) \(file.hash.map { $0.flags + " " } ?? "")--project \"$FIREBASE_PROJECT\"")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
