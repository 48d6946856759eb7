import JSON

extension JSONWriter {
    /// One JSON object on a line of its own.
    static func line(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        writer.object(body)
        return String(decoding: writer.bytes, as: UTF8.self) + "\n"
    }
}
