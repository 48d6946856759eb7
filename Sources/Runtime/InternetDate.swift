import Glibc

/// Dates as protocols of the Internet write them, with English names.
package enum InternetDate {
    /// `Sun, 06 Nov 1994 08:49:37 GMT`. <https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7>
    package static func http(_ instant: Instant) -> String { text(instant) + " GMT" }

    /// `Sun, 06 Nov 1994 08:49:37 +0000`. <https://www.rfc-editor.org/rfc/rfc5322#section-3.3>
    package static func mail(_ instant: Instant) -> String { text(instant) + " +0000" }

    /// `19941106T084937Z`, the basic form of ISO 8601. <https://www.iso.org/iso-8601-date-and-time-format.html>
    package static func basic(_ instant: Instant) -> String {
        let parts = parts(of: instant)
        return "\(parts.tm_year + 1900)\(two(parts.tm_mon + 1))\(two(parts.tm_mday))"
            + "T\(two(parts.tm_hour))\(two(parts.tm_min))\(two(parts.tm_sec))Z"
    }

    /// Reads what `http` writes; `nil` for the obsolete forms and for a day that the calendar does not have.
    package static func instant(http text: String) -> Instant? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", words[1].count == 2, let month = months.firstIndex(of: String(words[2])) else {
            return nil
        }
        return Instant(utc: "\(words[3])-\(two(Int32(month + 1)))-\(words[1])T\(words[4])Z")
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func text(_ instant: Instant) -> String {
        let parts = parts(of: instant)
        let day = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][Int(parts.tm_wday)]
        let month = months[Int(parts.tm_mon)]
        return
            "\(day), \(two(parts.tm_mday)) \(month) \(parts.tm_year + 1900) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    }

    private static func parts(of instant: Instant) -> tm {
        var seconds = time_t(instant.seconds)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        return parts
    }

    private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
