import Text

/// Domains of other scripts than Latin without accents, and their form in the DNS (`bücher.example` is `xn--bcher-kva.example`).
/// <https://www.rfc-editor.org/rfc/rfc5891>
enum InternationalDomain {
    /// The domain in ASCII; `nil` for one that this cannot write without doubt.
    ///
    /// Only letters and digits are taken that stand for nothing but themselves: no combining marks, no full-width or other forms that look
    /// like another letter. So no domain of another script becomes one in plain ASCII.
    static func ascii(_ domain: String) -> String? {
        var labels: [String] = []
        for label in domain.split(separator: ".", omittingEmptySubsequences: false) {
            if label.utf8.allSatisfy({ $0 < 0x80 }) {
                labels.append(String(label))
            } else if let scalars = plain(label), let encoded = Punycode.encode(scalars) {
                labels.append("xn--" + encoded)
            } else {
                return nil
            }
        }
        return labels.joined(separator: ".")
    }

    /// The label in lower case.
    private static func plain(_ label: Substring) -> [Unicode.Scalar]? {
        var scalars: [Unicode.Scalar] = []
        for scalar in label.unicodeScalars {
            let lower = scalar.properties.lowercaseMapping.unicodeScalars
            guard lower.count == 1, let letter = lower.first, scalar.isASCII == letter.isASCII, isPlain(letter) else { return nil }
            scalars.append(letter)
        }
        return scalars
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "-" }
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .otherLetter, .modifierLetter, .decimalNumber: return !scalar.properties.changesWhenNFKCCaseFolded
        default: return false
        }
    }
}

/// <https://www.rfc-editor.org/rfc/rfc3492>
enum Punycode {
    private static let (base, tMin, tMax, skew, damp): (UInt32, UInt32, UInt32, UInt32, UInt32) = (36, 1, 26, 38, 700)

    /// `nil` for a label that is longer than the DNS has them.
    static func encode(_ scalars: [Unicode.Scalar]) -> String? {
        guard scalars.count <= 63 else { return nil }
        var (n, delta, bias): (UInt32, UInt32, UInt32) = (128, 0, 72)
        var output = scalars.filter(\.isASCII).map { UInt8($0.value) }
        let basic = output.count
        var handled = basic
        if basic > 0 { output.append(UInt8(ascii: "-")) }
        while handled < scalars.count {
            guard let next = scalars.lazy.map(\.value).filter({ $0 >= n }).min() else { return nil }
            // At most 63 scalars below 0x110000, so nothing overflows.
            delta += (next - n) * UInt32(handled + 1)
            n = next
            for scalar in scalars {
                if scalar.value < n { delta += 1 }
                guard scalar.value == n else { continue }
                append(delta, bias: bias, to: &output)
                bias = adapted(delta, points: UInt32(handled + 1), isFirst: handled == basic)
                delta = 0
                handled += 1
            }
            delta += 1
            n += 1
        }
        return output.count <= 59 ? String(decoding: output, as: UTF8.self) : nil
    }

    private static func append(_ delta: UInt32, bias: UInt32, to output: inout [UInt8]) {
        var (rest, k) = (delta, base)
        while true {
            let threshold = k <= bias ? tMin : min(k - bias, tMax)
            guard rest >= threshold else { break }
            output.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            k += base
        }
        output.append(digit(rest))
    }

    private static func digit(_ value: UInt32) -> UInt8 { UInt8(value < 26 ? value + 97 : value + 22) }

    private static func adapted(_ delta: UInt32, points: UInt32, isFirst: Bool) -> UInt32 {
        var delta = isFirst ? delta / damp : delta / 2
        delta += delta / points
        var k: UInt32 = 0
        while delta > (base - tMin) * tMax / 2 {
            delta /= base - tMin
            k += base
        }
        return k + (base - tMin + 1) * delta / (delta + skew)
    }
}
