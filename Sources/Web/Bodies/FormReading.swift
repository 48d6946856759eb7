package import HTTP
package import Text

extension Request {
    /// Whether the body is a form, by its content type.
    package var isForm: Bool { headers["content-type"]?.asciiLowercased.hasPrefix("application/x-www-form-urlencoded") ?? false }
}

extension Form {
    /// Reads a form. Throws `INVALID_ARGUMENT` when the bytes are not one.
    package static func reading(_ text: UTF8Text) throws(Failure) -> Form {
        guard let form = Form(text) else { throw .invalidArgument("The form or query is malformed.") }
        return form
    }

    /// Reads a query, which the server has already checked to be ASCII.
    package static func reading(_ query: String) throws(Failure) -> Form { try reading(UTF8Text(query)) }

    package static func reading(_ bytes: [UInt8]) throws(Failure) -> Form {
        guard let form = Form(bytes) else { throw .invalidArgument("The form or query is malformed.") }
        return form
    }

    /// Refuses a form that gives any of `names`, or any field at all, twice, since the server would have to guess which value counts.
    package func once(_ names: [UTF8Text]? = nil) throws(Failure) {
        if let name = firstRepeated(of: names) { throw .invalidArgument("The parameter \(name) is given more than once.") }
    }
}
