/// An address of a sender or recipient, with the name shown beside it: `Gatehouse <no-reply@example.com>`.
///
/// Only addresses that every mail server accepts: ASCII, a local part without quotation marks, a host name of letters, digits and hyphens.
/// Domains of other scripts must be written in their ASCII form (`xn--…`). Local parts of other scripts are refused, since a mail to them
/// would need SMTPUTF8 on every server on its way.
/// <https://www.rfc-editor.org/rfc/rfc5321#section-4.1.2>
package struct Mailbox: Sendable, Equatable {
    package let name: String?
    package let address: String

    /// `nil` when `address` is not such an address, or `name` has control characters.
    package init?(name: String? = nil, address: String) {
        guard Self.isAddress(address), name?.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) ?? true else {
            return nil
        }
        self.name = name.flatMap { $0.isEmpty ? nil : $0 }
        self.address = address
    }

    /// Reads `address` or `name <address>`; the name may stand in quotation marks.
    package init?(_ text: String) {
        guard text.last == ">", let bracket = text.lastIndex(of: "<") else {
            self.init(address: text)
            return
        }
        var name = text[..<bracket].drop { $0 == " " }
        while name.last == " " { name.removeLast() }
        if name.count >= 2, name.first == "\"", name.last == "\"" { name = name.dropFirst().dropLast() }
        self.init(name: String(name), address: String(text[text.index(after: bracket)...].dropLast()))
    }

    package var domain: String { String(address[address.index(after: address.lastIndex(of: "@") ?? address.startIndex)...]) }

    private static func isAddress(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 254, (1...64).contains(parts[0].count), (1...253).contains(parts[1].count) else {
            return false
        }
        let atoms = parts[0].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let labels = parts[1].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return atoms.allSatisfy { !$0.isEmpty && $0.allSatisfy(isAtomText) }
            && labels.allSatisfy { label in
                (1...63).contains(label.count) && label.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
                    && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
            }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }

    /// <https://www.rfc-editor.org/rfc/rfc5322#section-3.2.3>
    private static func isAtomText(_ byte: UInt8) -> Bool { isLetterOrDigit(byte) || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte) }
}
