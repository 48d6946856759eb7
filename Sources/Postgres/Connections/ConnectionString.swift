import CPostgres
package import Runtime

/// Where the database is: a libpq URL or `key=value` text, taken apart.
/// <https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING>
package struct ConnectionString: Sendable, CustomStringConvertible, CustomReflectable {
    private(set) var keywords: [(name: String, value: String)]

    package var description: String { "<connection string>" }
    package var customMirror: Mirror { Mirror(reflecting: description) }

    /// Throws `.unavailable` when libpq can't read `text`; the error doesn't quote it, since it may hold a password.
    package init(_ text: Secret) throws(PostgresError) {
        guard let options = PQconninfoParse(text.reveal(), nil) else {
            throw .unavailable("the database URL is neither a postgresql:// URL nor key=value text that libpq reads")
        }
        defer { PQconninfoFree(options) }
        keywords = []
        var option = options
        while let name = option.pointee.keyword {
            if let value = option.pointee.val { keywords.append((String(cString: name), String(cString: value))) }
            option += 1
        }
    }

    package subscript(name: String) -> String? {
        get { keywords.first { $0.name == name }?.value }
        set {
            keywords.removeAll { $0.name == name }
            if let newValue { keywords.append((name, newValue)) }
        }
    }

    /// Sets what the text leaves open.
    mutating func setDefault(_ name: String, _ value: String) {
        if self[name] == nil { self[name] = value }
    }

    var hasSeveralHosts: Bool { (self["host"] ?? self["hostaddr"] ?? "").utf8.contains(UInt8(ascii: ",")) }

    /// The same hosts in another order: begins with the one at `turn`, counted round and round.
    func rotated(by turn: Int) -> ConnectionString {
        var copy = self
        for name in ["host", "hostaddr", "port"] {
            let parts = (self[name] ?? "").split(separator: ",", omittingEmptySubsequences: false)
            // One port may stand for all hosts.
            guard parts.count > 1 else { continue }
            let first = turn % parts.count
            copy[name] = (parts[first...] + parts[..<first]).joined(separator: ",")
        }
        return copy
    }

    /// Asks libpq for a server that takes writes, whatever the text says of other sessions: `prefer-standby` and the like are for reads.
    mutating func requireWrites() {
        if self["target_session_attrs"] != "primary" { self["target_session_attrs"] = "read-write" }
    }

    /// The same server's database `name`.
    package func database(_ name: String) -> ConnectionString {
        var copy = self
        copy["dbname"] = name
        return copy
    }

    /// As `key='value'` text, which `init` reads again.
    package var text: Secret {
        Secret(
            keywords.map { name, value in
                "\(name)='\(value.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined())'"
            }.joined(separator: " "))
    }
}
