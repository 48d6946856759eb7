package import Text

extension Request {
    /// The bearer token of the request, of whatever worth; `nil` without one. Other schemes count as absent, as at Google.
    /// <https://www.rfc-editor.org/rfc/rfc6750#section-2.1>
    package var bearerToken: UTF8Text? {
        guard let authorization = headers["authorization"] else { return nil }
        let parts = authorization.split(maxSplits: 1) { $0 == 0x20 }
        guard parts.first?.asciiLowercased == "bearer" else { return nil }
        return parts.count == 2 ? parts[1].trimmed : ""
    }
}
