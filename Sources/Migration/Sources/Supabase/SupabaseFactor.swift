import Accounts
import Crypto
import Text

/// A row of Supabase's `auth.mfa_factors`: a second factor of a user.
struct SupabaseFactor {
    private let id: String
    private let name: String?
    private let type: UTF8Text
    /// The secret of one-time passwords, or the phone number.
    private let value: UTF8Text
    private let enrolledAt: UTF8Text?
    /// The reason why the factor cannot be read.
    let fault: String?

    /// Nil for a factor whose enrollment was never completed.
    init?(_ row: DumpedRow) throws(ImportFault) {
        guard try row.text("status") == "verified", let id = try row.text("id"), let type = try row.text("factor_type") else { return nil }
        (self.id, self.type) = (id.asString, type)
        name = try row.text("friendly_name")?.asString
        value = try row.text(type == "phone" ? "phone" : "secret") ?? ""
        enrolledAt = try row.text("created_at")
        fault = nil
    }

    func add(to factors: inout SourceFactors, _ losses: inout SourceLosses) {
        let enrollment = SourceFactors.Enrollment(id: id, name: name, at: enrolledAt.flatMap(SourceTime.instant))
        switch type {
        case "phone" where !value.isEmpty:
            factors.addPhone((value.hasPrefix("+") ? "" : "+") + value.asString, enrollment)
        case "totp":
            if let secret = Base32.decode(value.asString), !secret.isEmpty { return factors.addTOTP(secret, enrollment) }
            losses.add("second factor by one-time passwords whose secret Supabase has encrypted with a key of its own")
            factors.addUnknown(enrollment)
        default:
            losses.add("second factor of the kind \(type): it cannot be moved")
            factors.addUnknown(enrollment)
        }
    }
}

extension SupabaseFactor {
    /// The texts that an index keeps of it.
    var texts: [String?] { [id, name, type.asString, value.asString, enrolledAt?.asString] }

    /// - Parameter texts: `texts` of a factor, or the reason why one cannot be read.
    init(_ texts: [String?]) {
        guard texts.count == 5, let id = texts[0], let type = texts[2] else {
            (id, name, type, value, enrolledAt, fault) = (
                "", nil, "", "", nil, texts.first.flatMap { $0 } ?? "a second factor cannot be read"
            )
            return
        }
        (self.id, name, self.type, fault) = (id, texts[1], UTF8Text(type), nil)
        value = UTF8Text(texts[3] ?? "")
        enrolledAt = texts[4].map { UTF8Text($0) }
    }
}
