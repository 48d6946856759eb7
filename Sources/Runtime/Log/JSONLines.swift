import Glibc
package import Logging

/// The process's log: one JSON object a line.
package struct JSONLines: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    private let label: String
    private let output: LogOutput

    package init(label: String, level: Logger.Level, output: LogOutput) {
        self.label = label
        self.output = output
        logLevel = level
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var line = "{\"time\":\"\(Timestamp.text(Clock.system.now()))\",\"level\":\"\(event.level)\",\"part\":"
        line.appendJSON(label)
        line += ",\"message\":"
        line.appendJSON(event.message.description)
        for (key, value) in metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 }).sorted(by: { $0.key < $1.key }) {
            line += ","
            line.appendJSON(key)
            line += ":"
            line.appendJSON(value.description)
        }
        line += "}\n"
        line.withUTF8 { output.write(UnsafeRawBufferPointer($0), lines: 1, of: .event) }
    }
}

/// RFC 3339 with milliseconds, UTC.
package enum Timestamp {
    package static func text(_ instant: Instant) -> String {
        var seconds = time_t(instant.seconds)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let milliseconds = (instant.microseconds - instant.seconds * 1_000_000) / 1000
        var text = Array("0000-00-00T00:00:00.000Z".utf8)
        for (number, end, width) in [
            (parts.tm_year + 1900, 4, 4), (parts.tm_mon + 1, 7, 2), (parts.tm_mday, 10, 2), (parts.tm_hour, 13, 2),
            (parts.tm_min, 16, 2), (parts.tm_sec, 19, 2), (Int32(milliseconds), 23, 3),
        ] {
            var rest = number.magnitude
            for at in (end - width..<end).reversed() {
                text[at] += UInt8(rest % 10)
                rest /= 10
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The same without seconds, for people to read: `2026-11-22 06:45 UTC`.
    package static func minute(_ instant: Instant) -> String {
        let text = text(instant)
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }
}

extension String {
    /// Appends `text` as a JSON string, quotes included; everything below U+0020 is escaped.
    package mutating func appendJSON(_ text: String) {
        self += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": self += "\\\""
            case "\\": self += "\\\\"
            case "\n": self += "\\n"
            case "\r": self += "\\r"
            case "\t": self += "\\t"
            // Control characters, characters that some readers of lines treat as the end of a line, and those that reverse what is read.
            case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}":
                let digits = String(scalar.value, radix: 16)
                self += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: unicodeScalars.append(scalar)
            }
        }
        self += "\""
    }
}
