import CPostgres
package import Runtime

/// The address of the database: a libpq URL or `key=value` text, split into its keywords.
/// <https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING>
package struct ConnectionString: Sendable, Concealed {
    private(set) var keywords: [(name: String, value: String)]

    package var description: String { "<connection string>" }

    /// Throws `.unavailable` when libpq cannot read `text`. The error does not quote the text, since it may contain a password.
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

    /// Sets a keyword that the text does not contain.
    mutating func setDefault(_ name: String, _ value: String) {
        if self[name] == nil { self[name] = value }
    }

    var hasSeveralHosts: Bool { (self["host"] ?? self["hostaddr"] ?? "").utf8.contains(UInt8(ascii: ",")) }

    /// The same hosts in another order: it begins with the host number `turn`, modulo the number of hosts.
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

    /// Asks libpq for a server that takes writes, whatever the text asks for: `prefer-standby` and similar values are for reads.
    mutating func requireWrites() {
        if self["target_session_attrs"] != "primary" { self["target_session_attrs"] = "read-write" }
    }

    /// The database `name` of the same server.
    package func database(_ name: String) -> ConnectionString {
        var copy = self
        copy["dbname"] = name
        return copy
    }

    /// The keywords as `key='value'` text, which `init` can read again.
    package var text: Secret {
        Secret(
            keywords.map { name, value in
                "\(name)='\(value.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined())'"
            }.joined(separator: " "))
    }
}
