import Config
import Crypto
import Runtime

/// The day from which a provider refuses the secret or the certificate of this server. No sign-in works from then on, so the operator
/// hears of it a month before.
enum SecretExpiry {
    /// How long before the day `check`, `doctor` and the log at start speak of it.
    static let noticed: Duration = .seconds(30 * 86_400)

    /// `expires in 12 days` or `has expired`, as the end of a sentence; `nil` when there is time.
    static func phrase(_ left: Duration) -> String? {
        if left <= .zero { return "has expired" }
        guard left < noticed else { return nil }
        let days = left.wholeSeconds / 86_400
        return days == 0 ? "expires within a day" : "expires in \(days) \(days == 1 ? "day" : "days")"
    }
}

extension ProviderSettings {
    /// Reads `expires`: the day that the provider shows for the secret, which Gatehouse cannot know.
    mutating func readExpiry(_ section: Section, now: Instant) {
        guard let day = section.value("expires", expected: "a date such as 2027-05-01", { Instant(utc: $0) }) else { return }
        note(expiry: day)
        if let phrase = SecretExpiry.phrase(day - now) {
            section.note(
                "expires",
                "says that the secret of \(id) \(phrase); make a new one at the provider, put it into the entry, and write its day here")
        }
    }

    /// The certificate beside the client's key carries its own day.
    mutating func readExpiry(ofCertificate pem: String, _ section: Section, now: Instant) {
        guard let left = Certificate.timeLeft(pem: pem) else { return }
        note(expiry: now + left)
        if let phrase = SecretExpiry.phrase(left) {
            section.note(
                "clientKey", "has a certificate that \(phrase); make a new one, put it into the file, and give it to the provider")
        }
    }

    /// Keeps the earlier of two days.
    private mutating func note(expiry: Instant) { expires = min(expires ?? expiry, expiry) }
}
