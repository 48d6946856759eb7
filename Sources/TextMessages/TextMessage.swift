package import Runtime

/// One text message to a phone, with a code in it.
///
/// This kit knows the ways to send one: `TextTransports` lists them, and each has a file in `Gateways`. Which messages there are, and when they
/// are sent, others decide.
package struct TextMessage: Sendable {
    /// The same at each attempt to send it.
    package var id: String
    package var projectID: String
    /// The step that its code is for.
    package var purpose: String
    /// A number in E.164 form.
    package var to: String
    /// The region of the number: two letters of ISO 3166-1.
    package var region: String
    /// The tag of the language of `text`.
    package var language: String
    package var text: String
    /// The digits that stand in `text`.
    package var code: String
    /// Stands at the end of `text`, for an Android app that reads the message by itself.
    package var appSignatureHash: String?
    /// After this time, the code works no more.
    package var expires: Instant

    package init(
        id: String, projectID: String, purpose: String, to number: String, region: String, language: String, text: String, code: String,
        appSignatureHash: String?, expires: Instant
    ) {
        self.id = id
        self.projectID = projectID
        self.purpose = purpose
        to = number
        self.region = region
        self.language = language
        self.text = text
        self.code = code
        self.appSignatureHash = appSignatureHash
        self.expires = expires
    }
}

/// Descriptions show neither the person nor the code (SEC-21).
extension TextMessage: Concealed {
    package var description: String { "<text message \(id)>" }
}

extension TextMessage {
    /// The whole seconds for which the code still works, at least one.
    func secondsLeft(at time: Instant) -> Int64 { max(1, (expires - time).wholeSeconds) }

    /// Whether phones show the text in the 7-bit alphabet of GSM, of which one message holds 160 letters, and of others 70.
    /// <https://www.etsi.org/deliver/etsi_ts/123000_123099/123038/>
    var isGSM: Bool { text.unicodeScalars.allSatisfy(Self.gsmAlphabet.contains) }

    private static let gsmAlphabet = Set(
        "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà^{}\\[~]|€"
            .unicodeScalars)
}
