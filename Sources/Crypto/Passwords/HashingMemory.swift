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

    private static let hugePage = 2 << 20
    private static let page = 4096
    private static let blocks = Mutex(HashingBlocks())

    static func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
        guard size >= 2 * hugePage else { return malloc(size) }
        let length = (size + page - 1) / page * page
        let (spare, unfit) = blocks.withLock { $0.take(length) }
        if let unfit { unmap(unfit) }
        if let spare { return UnsafeMutableRawPointer(bitPattern: spare) }
        guard let block = map(length) else { return malloc(size) }
        let address = UInt(bitPattern: block)
        blocks.withLock { $0.add(address, length) }
        return block
    }

    static func reallocate(_ block: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer? {
        guard let block else { return allocate(size) }
        guard size > 0 else {
            free(block)
            return nil
        }
        guard let length = length(of: block) else { return realloc(block, size) }
        guard let other = allocate(size) else { return nil }
        other.copyMemory(from: block, byteCount: min(length, size))
        free(block)
        return other
    }

    static func free(_ block: UnsafeMutableRawPointer?) {
        guard let block, mayBeOurs(block) else { return Glibc.free(block) }
        let address = UInt(bitPattern: block)
        switch blocks.withLock({ $0.giveBack(address) }) {
        case .kept: break
        case .unneeded(let block): unmap(block)
        case .unknown: Glibc.free(block)
        }
    }

    /// The length of a block of huge pages; nil for memory of malloc.
    private static func length(of block: UnsafeMutableRawPointer) -> Int? {
        guard mayBeOurs(block) else { return nil }
        let address = UInt(bitPattern: block)
        return blocks.withLock { $0.used[address] }
    }

    /// Nearly all blocks are small ones of malloc, which need no lock.
    private static func mayBeOurs(_ block: UnsafeMutableRawPointer) -> Bool { UInt(bitPattern: block).isMultiple(of: UInt(hugePage)) }

    /// New memory that begins with a huge page: that much more is mapped, and what lies before and behind is given back.
    private static func map(_ length: Int) -> UnsafeMutableRawPointer? {
        guard let mapped = mmap(nil, length + hugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), mapped != MAP_FAILED
        else {
            return nil
        }
        let block = mapped.alignedUp(toMultipleOf: hugePage)
        if block > mapped { munmap(mapped, block - mapped) }
        munmap(block + length, hugePage - (block - mapped))
        // After a failure, hashes are as before.
        madvise(block, length, MADV_HUGEPAGE)
        return block
    }

    private static func unmap(_ block: HashingBlocks.Block) { munmap(UnsafeMutableRawPointer(bitPattern: block.address), block.length) }
}

/// Which blocks are in use, and which wait for the next hash: the kernel fills new memory with zeros, which takes a twentieth of the time of a
/// hash. So there are at most as many blocks as hashes were ever computed at the same time.
struct HashingBlocks {
    struct Block: Equatable {
        let address: UInt
        let length: Int
    }

    enum GivenBack: Equatable {
        case kept
        /// The kernel should have it back.
        case unneeded(Block)
        /// It is not one of these blocks.
        case unknown
    }

    /// Longer blocks go back to the kernel after each hash. Those of 32 MiB, of which scrypt needs some kilobytes more, are kept.
    static let longestKept = 33 << 20

    /// The lengths of the blocks in use, by their addresses.
    private(set) var used: [UInt: Int] = [:]
    private(set) var spare: [Block] = []

    /// The address of a spare block of at least this length. If there is none, one that is too short, which the kernel should have back, since
    /// a new block takes its place.
    mutating func take(_ length: Int) -> (spare: UInt?, unfit: Block?) {
        // The last one that was used is most likely in the processor's caches.
        guard let index = spare.lastIndex(where: { $0.length >= length }) else {
            return (nil, spare.isEmpty ? nil : spare.removeFirst())
        }
        let block = spare.remove(at: index)
        add(block.address, block.length)
        return (block.address, nil)
    }

    /// Adds a block that is in use.
    mutating func add(_ address: UInt, _ length: Int) { used[address] = length }

    mutating func giveBack(_ address: UInt) -> GivenBack {
        guard let length = used.removeValue(forKey: address) else { return .unknown }
        let block = Block(address: address, length: length)
        guard length <= Self.longestKept else { return .unneeded(block) }
        spare.append(block)
        return .kept
    }
}
