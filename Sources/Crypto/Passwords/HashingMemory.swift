import COpenSSL
import Glibc
import Synchronization

/// Huge pages for the memory that scrypt needs.
///
/// scrypt reads its 16 MiB block by block in an order that cannot be foreseen. In pages of 4 KiB, nearly each block means a walk through the
/// page tables. libcrypto allocates this memory itself, but a program may say with which functions:
/// <https://docs.openssl.org/3.0/man3/OPENSSL_malloc/>
package enum HashingMemory {
    /// Whether libcrypto takes its memory from here. The first use of this value tells it to, and must come before anything else of
    /// libcrypto, which does not change its functions once it has used them. Where the kernel has no huge pages
    /// (`/sys/kernel/mm/transparent_hugepage/enabled` says `never`), hashes are as before.
    package static let isUsed =
        CRYPTO_set_mem_functions(
            { size, _, _ in HashingMemory.allocate(size) }, { block, size, _, _ in HashingMemory.reallocate(block, size) },
            { block, _, _ in HashingMemory.free(block) }) == 1

    private static let hugePages = Mutex(HugePages())

    static func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
        let address = size < HugePages.least ? nil : hugePages.withLock { $0.allocate(size) }
        return address.flatMap(UnsafeMutableRawPointer.init(bitPattern:)) ?? malloc(size)
    }

    static func reallocate(_ block: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer? {
        guard let block, let length = length(of: block) else { return realloc(block, size) }
        guard let other = allocate(size) else { return nil }
        other.copyMemory(from: block, byteCount: min(length, size))
        free(block)
        return other
    }

    static func free(_ block: UnsafeMutableRawPointer?) {
        guard let block, length(of: block) != nil else { return Glibc.free(block) }
        hugePages.withLock { $0.free(UInt(bitPattern: block)) }
    }

    /// The length of a block of huge pages; nil for memory of malloc.
    private static func length(of block: UnsafeMutableRawPointer) -> Int? {
        let address = UInt(bitPattern: block)
        // Nearly all blocks are small, and need no lock.
        guard address.isMultiple(of: UInt(HugePages.size)) else { return nil }
        return hugePages.withLock { $0.used[address] }
    }
}

/// Blocks of whole huge pages.
///
/// A block that is free again stays for the next hash: the kernel fills new memory with zeros, which takes a twentieth of the time of a hash. So
/// there are as many blocks as hashes were computed at the same time.
struct HugePages {
    static let size = 2 << 20
    /// Less than this is not worth a page.
    static let least = 2 * size
    /// A block that is larger goes back to the kernel: hardly any hash needs so much.
    static let mostKept = 32 << 20

    /// The lengths of the blocks in use, by their addresses.
    private(set) var used: [UInt: Int] = [:]
    private(set) var spare: [(address: UInt, length: Int)] = []

    /// The address of a block of at least `size` bytes; nil when the kernel has no memory.
    mutating func allocate(_ size: Int) -> UInt? {
        let length = (size + Self.size - 1) / Self.size * Self.size
        if let index = spare.firstIndex(where: { $0.length >= length }) {
            let block = spare.remove(at: index)
            used[block.address] = block.length
            return block.address
        }
        // Of blocks that are too small, one makes room.
        if let small = spare.popLast() { Self.unmap(small.address, small.length) }
        guard let address = Self.map(length) else { return nil }
        used[address] = length
        return address
    }

    mutating func free(_ address: UInt) {
        guard let length = used.removeValue(forKey: address) else { return }
        if length <= Self.mostKept { spare.append((address, length)) } else { Self.unmap(address, length) }
    }

    /// New memory that begins with a huge page: that much more is mapped, and what lies before and behind is given back.
    private static func map(_ length: Int) -> UInt? {
        guard let mapped = mmap(nil, length + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), mapped != MAP_FAILED else {
            return nil
        }
        let block = mapped.alignedUp(toMultipleOf: size)
        unmap(UInt(bitPattern: mapped), block - mapped)
        unmap(UInt(bitPattern: block + length), size - (block - mapped))
        // After a failure, hashes are as before.
        madvise(block, length, MADV_HUGEPAGE)
        return UInt(bitPattern: block)
    }

    private static func unmap(_ address: UInt, _ length: Int) {
        if length > 0 { munmap(UnsafeMutableRawPointer(bitPattern: address), length) }
    }
}
