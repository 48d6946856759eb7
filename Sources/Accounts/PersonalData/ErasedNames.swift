import Crypto

/// Names people who were erased, in the record of acts and in the file of erasures: an HMAC of the account's id with a key of the master key. An
/// operator who knows an id finds its acts; a reader of the names alone cannot guess ids.
package struct ErasedNames: Sendable {
    /// Stands before the HMAC, so that a name is not taken for an id that an app chose.
    private static let mark = "erased:"

    private let keys: [[UInt8]]

    package init(masterKey: MasterKey) { keys = masterKey.erasures }

    /// The name of an account in a project, by the first master key.
    package func name(of id: String, in projectID: String) -> String { Self.name(of: id, in: projectID, keys[0]) }

    /// The names that the account has or had: by each listed master key, the first one first.
    package func all(of id: String, in projectID: String) -> [String] { keys.map { Self.name(of: id, in: projectID, $0) } }

    /// The ids by the names that their accounts have where they were erased.
    func ids(_ ids: [String], in projectID: String) -> [String: String] {
        Dictionary(ids.flatMap { id in all(of: id, in: projectID).map { ($0, id) } }, uniquingKeysWith: { first, _ in first })
    }

    private static func name(of id: String, in projectID: String, _ key: [UInt8]) -> String {
        mark + Hex.encode(Array(Digest.hmacSHA256(key: key, Array("\(projectID) \(id)".utf8)).prefix(16)))
    }
}
