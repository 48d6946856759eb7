import JSON
import Runtime

extension AuditEvent {
    /// One JSON object with everything that is stored, for a line of a file.
    package var json: String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("time", Timestamp.text(time))
            writer.field("action", action)
            writer.field("actorKind", actorKind)
            writer.field("actor", actor)
            writer.field("localId", accountID)
            writer.field("providerId", providerID)
            writer.field("rule", rule)
            writer.field("address", address)
            writer.field("userAgent", userAgent)
            writer.field("details", verbatim: details.utf8)
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
