/// The fields of a text in the PHC string format. <https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md>
enum PHCFields {
    /// The values of `name=value,name=value`, which must have these names in this order.
    static func values(_ field: Substring, named names: String...) throws(PasswordHashFault) -> [String] {
        let pairs = field.split(separator: ",", omittingEmptySubsequences: false)
        guard pairs.count == names.count else { throw .malformed("the hash must have the parameters \(names.joined(separator: ", "))") }
        var values: [String] = []
        for (name, pair) in zip(names, pairs) {
            guard pair.hasPrefix("\(name)=") else { throw .malformed("the hash has no parameter \(name) in its place") }
            values.append(String(pair.dropFirst(name.utf8.count + 1)))
        }
        return values
    }

    static func number(_ text: String) throws(PasswordHashFault) -> Int {
        guard let number = Int(text) else { throw .malformed("a parameter of the hash is not a number, or too large") }
        return number
    }

    static func bytes(_ field: Substring) throws(PasswordHashFault) -> [UInt8] {
        guard let bytes = Base64.decode(String(field)) else { throw .malformed("a field of the hash is not base64") }
        return bytes
    }

    static func count(_ fields: [Substring], is expected: Int) throws(PasswordHashFault) {
        guard fields.count == expected else { throw .malformed("the hash has \(fields.count) fields instead of \(expected)") }
    }
}
