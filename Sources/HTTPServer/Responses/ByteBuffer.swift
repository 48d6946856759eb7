import Glibc

/// The bytes that are about to be sent, in one piece of memory that a loop uses again and again.
///
/// It is not a `[UInt8]`, since most writes are pieces of 5 to 40 bytes, and each of them would pay for the array's checks of uniqueness
/// and capacity and for a generic copy.
final class ByteBuffer {
    private var base: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var count = 0
    private let usual: Int

    /// - Parameter capacity: the size to which it shrinks again after a larger content.
    init(capacity: Int) {
        base = .allocate(byteCount: capacity, alignment: 16)
        self.capacity = capacity
        usual = capacity
    }

    deinit { base.deallocate() }

    /// Valid until the next call.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    func removeAll() {
        count = 0
        guard capacity > 4 * usual else { return }
        base.deallocate()
        base = .allocate(byteCount: usual, alignment: 16)
        capacity = usual
    }

    /// Reserves `extra` bytes and counts them as written; the caller must write them at once.
    @inline(__always) private func extend(_ extra: Int) -> UnsafeMutableRawPointer {
        if count + extra > capacity { grow(extra) }
        defer { count += extra }
        return base + count
    }

    @inline(never) private func grow(_ extra: Int) {
        capacity = max(2 * capacity, count + extra)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        larger.copyMemory(from: base, byteCount: count)
        base.deallocate()
        base = larger
    }

    func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        extend(bytes.count).copyMemory(from: source, byteCount: bytes.count)
    }

    /// Appends `name: value` and CRLF.
    func append(field name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        let target = UnsafeMutableRawBufferPointer(start: extend(name.count + value.count + 4), count: name.count + value.count + 4)
        target.copyMemory(from: name)
        target[name.count] = UInt8(ascii: ":")
        target[name.count + 1] = Byte.space
        UnsafeMutableRawBufferPointer(rebasing: target[(name.count + 2)...]).copyMemory(from: value)
        target[target.count - 2] = Byte.cr
        target[target.count - 1] = Byte.lf
    }

    func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { append($0) } }

    func append(_ text: StaticString) {
        extend(text.utf8CodeUnitCount).copyMemory(from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
    }

    func append(decimal number: Int) {
        var rest = UInt(max(0, number))
        withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { digits in
            var first = digits.count
            repeat {
                first -= 1
                digits[first] = UInt8(truncatingIfNeeded: 0x30 + rest % 10)
                rest /= 10
            } while rest > 0
            append(UnsafeRawBufferPointer(rebasing: digits[first...]))
        }
    }

    /// Appends 16 digits.
    func append(hex number: UInt64) {
        let target = extend(16)
        for index in 0..<16 {
            let digit = UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * index)) & 15
            target.storeBytes(of: digit < 10 ? 0x30 + digit : 0x57 + digit, toByteOffset: index, as: UInt8.self)
        }
    }
}
