package import HTTP

extension Form {
    /// Reads a form, or says that it is none.
    package static func reading(_ text: String) throws(Failure) -> Form {
        guard let form = Form(text) else { throw .invalidArgument("The form or query is malformed.") }
        return form
    }

    package static func reading(_ bytes: [UInt8]) throws(Failure) -> Form {
        guard let form = Form(bytes) else { throw .invalidArgument("The form or query is malformed.") }
        return form
    }

    /// Refuses a form that gives any of `names` twice: which one counts would be a guess.
    package func once(_ names: [String]) throws(Failure) {
        for name in names where fields.count(where: { $0.name == name }) > 1 {
            throw .invalidArgument("The parameter \(name) is given more than once.")
        }
    }
}
