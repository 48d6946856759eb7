import Glibc

/// Dates with English names, as HTTP and mail write them.
package enum InternetDate {
    /// `Sun, 06 Nov 1994 08:49:37 GMT`. <https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7>
    package static func http(_ instant: Instant) -> String { text(instant) + " GMT" }

    /// `Sun, 06 Nov 1994 08:49:37 +0000`. <https://www.rfc-editor.org/rfc/rfc5322#section-3.3>
    package static func mail(_ instant: Instant) -> String { text(instant) + " +0000" }

    private static func text(_ instant: Instant) -> String {
        var seconds = time_t(instant.seconds)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let day = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][Int(parts.tm_wday)]
        let month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][Int(parts.tm_mon)]
        return
            "\(day), \(two(parts.tm_mday)) \(month) \(parts.tm_year + 1900) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    }

    private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
