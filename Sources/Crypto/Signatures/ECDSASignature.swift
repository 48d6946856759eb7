/// Converts between the two forms of a P-256 signature: DER, which OpenSSL uses, and r ‖ s, which JSON Web Signatures use.
/// <https://www.rfc-editor.org/rfc/rfc7518#section-3.4>
enum ECDSASignature {
    static let half = 32

    /// 64 bytes; nil unless `der` is one SEQUENCE of two positive INTEGERs in their shortest form.
    static func raw(der: [UInt8]) -> [UInt8]? {
        guard der.count >= 2, der[0] == 0x30, der[1] < 0x80, Int(der[1]) == der.count - 2 else { return nil }
        var out = [UInt8](repeating: 0, count: 2 * half)
        var position = 2
        for part in 0..<2 {
            guard position + 2 <= der.count, der[position] == 0x02 else { return nil }
            let length = Int(der[position + 1])
            var start = position + 2
            position = start + length
            guard length >= 1, length <= half + 1, position <= der.count, der[start] < 0x80 else { return nil }
            if der[start] == 0, length > 1 {
                guard der[start + 1] >= 0x80 else { return nil }
                start += 1
            }
            guard position - start <= half else { return nil }
            let first = (part + 1) * half - (position - start)
            for offset in 0..<(position - start) { out[first + offset] = der[start + offset] }
        }
        return position == der.count ? out : nil
    }

    /// Nil for another length, and when r or s is zero: some verifiers accepted such a signature for every message (CVE-2022-21449).
    static func der(raw: [UInt8]) -> [UInt8]? {
        guard raw.count == 2 * half else { return nil }
        var out: [UInt8] = [0x30, 0]
        out.reserveCapacity(72)
        for part in [raw[..<half], raw[half...]] {
            guard let first = part.firstIndex(where: { $0 != 0 }) else { return nil }
            let number = part[first...]
            let padding: [UInt8] = part[first] >= 0x80 ? [0] : []
            out.append(0x02)
            out.append(UInt8(padding.count + number.count))
            out += padding
            out += number
        }
        out[1] = UInt8(out.count - 2)
        return out
    }
}
