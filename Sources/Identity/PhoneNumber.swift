package import Text

/// Phone numbers in the form in which accounts are compared by them.
package enum PhoneNumber {
    /// Whether the text is a number in the form of E.164: a plus sign, a country code, and at most 15 digits in all.
    /// <https://www.itu.int/rec/T-REC-E.164>
    package static func isE164(_ text: UTF8Text) -> Bool {
        let digits = text.utf8.dropFirst()
        return text.utf8.first == UInt8(ascii: "+") && (2...15).contains(digits.count) && digits.first != UInt8(ascii: "0")
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
