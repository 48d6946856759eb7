import Runtime

extension SQL {
    /// The text with its values as literals, for statements that take no parameters. Throws for values of other types than text and integers.
    func textWithLiterals() throws(PostgresError) -> String {
        if let fault { throw fault }
        var literals: [String] = []
        for slot in values.slots {
            let bytes = values.bytes[slot.start..<slot.start + max(0, slot.length)]
            switch slot.type {
            case _ where slot.length < 0: literals.append("NULL")
            case .text: literals.append(Self.quoted(String(decoding: bytes, as: UTF8.self)))
            case .int8: literals.append("\(bytes.reduce(Int64(0)) { $0 << 8 | Int64($1) })")
            default: throw .sql(state: "0A000", message: "a value of this type has no literal")
            }
        }
        return text { literals[$0 - 1] }
    }

    /// A string constant, read in the same way whatever the session's settings are.
    /// <https://www.postgresql.org/docs/15/sql-syntax-lexical.html#SQL-SYNTAX-STRINGS-ESCAPE>
    private static func quoted(_ text: String) -> String {
        var quoted = "E'"
        for scalar in text.unicodeScalars {
            if scalar == "'" || scalar == "\\" { quoted.unicodeScalars.append(scalar) }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "'"
    }
}
