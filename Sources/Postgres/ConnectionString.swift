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
