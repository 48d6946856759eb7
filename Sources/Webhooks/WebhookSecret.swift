import Crypto
package import Runtime

/// A secret that signs calls: `whsec_` and 24 to 64 bytes in base64, as Standard Webhooks writes it.
package struct WebhookSecret: Sendable, Concealed {
    private let key: [UInt8]

    /// The form, to be named where a text does not have it.
    package static let form = "whsec_ and 24 to 64 bytes as base64; make one with: echo whsec_$(openssl rand -base64 32)"

    /// `nil` for a text of another form.
    package init?(_ secret: Secret) {
        let text = secret.reveal()
        guard text.hasPrefix(Self.beginning), let key = Base64.decode(String(text.dropFirst(Self.beginning.count))),
            (24...64).contains(key.count)
        else { return nil }
        self.key = key
    }

    private static let beginning = "whsec_"

    package var description: String { "<webhook secret>" }

    func signature(of body: [UInt8], id: String, at time: Instant) -> String {
        "v1," + Base64.encode(Digest.hmacSHA256(key: key, Array("\(id).\(time.seconds).".utf8) + body))
    }
}
