import Testing

@testable import Crypto

@Suite struct HashingMemoryTests {
    private var pages = HugePages()

    @Test mutating func `begins a block with a huge page, and keeps it for the next hash`() {
        let (first, second) = (block(of: HugePages.least + 1), block(of: HugePages.least))
        #expect(first.isMultiple(of: UInt(HugePages.size)) && second.isMultiple(of: UInt(HugePages.size)) && first != second)
        #expect(pages.used == [first: 3 * HugePages.size, second: 2 * HugePages.size])
        pages.free(first)
        #expect(pages.spare.count == 1)
        let again = block(of: HugePages.least)
        #expect(again == first && pages.used[first] == 3 * HugePages.size && pages.spare.isEmpty)
    }

    @Test mutating func `has no more blocks than were in use at the same time, and keeps no block of an unusual size`() {
        pages.free(block(of: HugePages.least))
        let larger = block(of: 2 * HugePages.least)
        #expect(pages.spare.isEmpty)
        pages.free(larger)
        pages.free(block(of: HugePages.mostKept + 1))
        #expect(pages.spare.isEmpty && pages.used.isEmpty)
    }

    private mutating func block(of size: Int) -> UInt { pages.allocate(size) ?? 0 }

    @Test(arguments: [(100, 200), (100, HugePages.least), (HugePages.least, 3 * HugePages.least), (HugePages.least, 100)])
    func `keeps the content of a block that changes its size`(size: Int, changed: Int) throws {
        let block = try #require(HashingMemory.allocate(size))
        block.initializeMemory(as: UInt8.self, repeating: 7, count: size)
        let other = try #require(HashingMemory.reallocate(block, changed))
        #expect((0..<min(size, changed)).allSatisfy { other.load(fromByteOffset: $0, as: UInt8.self) == 7 })
        other.initializeMemory(as: UInt8.self, repeating: 8, count: changed)
        HashingMemory.free(other)
    }

    @Test func `allocates for nobody, as libcrypto does`() throws {
        let block = try #require(HashingMemory.reallocate(nil, HugePages.least))
        HashingMemory.free(block)
        HashingMemory.free(nil)
    }
}
