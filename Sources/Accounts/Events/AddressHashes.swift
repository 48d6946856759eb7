import Crypto

/// Names e-mail addresses in the log and in the audit events, which must not contain them: an HMAC with a key of the master key. An operator who
/// knows an address finds its lines (`gatehouse users hash`); a reader of the lines alone cannot guess addresses.
package struct AddressHashes: Sendable {
    private let keys: [[UInt8]]

    package init(masterKey: MasterKey) { keys = masterKey.addressHashes }

    /// The name of an address in a project, by the first master key.
    /// - Parameter email: in canonical form.
    package func hash(of email: String, in projectID: String) -> String { Self.hash(of: email, in: projectID, keys[0]) }

    /// The names that the address has or had: by each listed master key, the first one first.
    package func all(of email: String, in projectID: String) -> [String] { keys.map { Self.hash(of: email, in: projectID, $0) } }

    private static func hash(of email: String, in projectID: String, _ key: [UInt8]) -> String {
        Hex.encode(Array(Digest.hmacSHA256(key: key, Array("\(projectID) \(email)".utf8)).prefix(16)))
    }
}
