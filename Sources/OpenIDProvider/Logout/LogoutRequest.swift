import HTTP
import ProjectSettings
import Text
import Web

/// The request of a relying party that sends a person here to sign out, after its checks; without I/O.
/// <https://openid.net/specs/openid-connect-rpinitiated-1_0.html>
struct LogoutRequest {
    /// The ID token that the client got, if it is one of ours.
    let hint: IDTokenHint?
    /// The address to which the browser goes afterwards; `nil` for a page of this server.
    let target: String?
    let language: String?

    /// Whether the hint says that the relying party may sign this person out.
    ///
    /// - Parameters:
    ///   - sessionID: of the browser's session, as tokens name it.
    ///   - subject: the `sub` of its account.
    func isOf(sessionID: String, subject: String) -> Bool {
        guard let hint, target != nil else { return false }
        return hint.sessionID.map { $0 == sessionID } == true || hint.subject == subject
    }

    /// The parameters of the request.
    static let names = ["id_token_hint", "client_id", "post_logout_redirect_uri", "state", "ui_locales"]

    /// Throws a page for a request that names another client than its hint, or an address that its client has not registered.
    init(
        _ form: Form, of provider: ProjectSettings.OpenIDProvider, readHint: (UTF8Text) -> IDTokenHint?
    ) throws(Failure) {
        try form.once(Self.names.map { UTF8Text($0) })
        // A hint that is not ours counts as none, so the person is asked.
        let hint = form.filled("id_token_hint").flatMap(readHint)
        let named = form.filled("client_id")
        if let hint, let named, hint.audience != named { throw .invalidRequest("The client_id is not the one of the id_token_hint.") }
        let client = (hint?.audience ?? named).flatMap(provider.client)
        self.hint = hint
        language = form.filled("ui_locales")?.split { $0 == 0x20 }.first?.asString
        // Without a client, it is not known whose address it is.
        guard let asked = form.filled("post_logout_redirect_uri"), let client else {
            target = nil
            return
        }
        guard let uri = client.postLogoutRedirectURI(matching: asked) else { throw .unregisteredLogoutURI }
        let state = form["state"].map { Form([(name: "state", value: $0)]).encoded() }
        target = state.map { uri + (UTF8Text(uri).contains(UInt8(ascii: "?")) ? "&" : "?") + $0 } ?? uri
    }
}
