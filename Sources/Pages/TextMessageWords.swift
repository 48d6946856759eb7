package import Accounts
import ProjectSettings

extension Templates {
    /// The most bytes of UTF-8. A message holds 160 letters of the alphabet that phones use; a text with others takes several messages.
    private static let longest = 160
    /// The length that Android takes for a message that it shows to the app.
    private static let longestForAndroid = 140
    private static let longestName = 40

    /// The text of a message to a phone: the project's words, and a last line by which a browser or an Android app fills the code in. It has no
    /// link, also where the project's name has one.
    ///
    /// - Parameter host: the host of the page that the code is for; `nil` for no last line.
    /// <https://wicg.github.io/sms-one-time-codes/>, <https://developers.google.com/identity/sms-retriever/verify>
    package func textMessage(_ message: OutgoingTextMessage, host: String?) -> String {
        let language = languages.contains(message.language) ? message.language : "en"
        let lastLine =
            if let hash = message.appSignatureHash { "\n\(hash)" } else { host.map { "\n\n@\($0) #\(message.code)" } ?? "" }
        let most = message.appSignatureHash == nil ? Self.longest : Self.longestForAndroid
        var name = Self.plainName(branding.name)
        while true {
            let values: [String: TemplateValue] = ["code": .text(message.code), "project": .text(name)]
            let text = (word("text", "message.code", language, values.prepared { $0 }) ?? message.code) + lastLine
            if text.utf8.count <= most || name.isEmpty { return text }
            name.removeLast()
        }
    }

    /// The name without line ends and without words that phones would show as links.
    private static func plainName(_ name: String) -> String {
        let words = name.split { $0.isWhitespace || $0.isNewline }.filter { word in
            !word.contains("/") && !word.dropLast().contains(".") && !word.contains("@")
        }
        return String(
            words.joined(separator: " ").unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.prefix(longestName).map(
                Character.init))
    }
}
