import Testing

@testable import Crypto

@Suite struct HashingMemoryTests {
    private static let large = 16 << 20 + 3072

    @Test func `takes the spare block that was used last and is long enough`() {
        var blocks = HashingBlocks()
        for (address, length) in [(1, 16), (2, 32), (3, 32), (4, 16)] as [(UInt, Int)] {
            blocks.add(address, length)
            #expect(blocks.giveBack(address) == .kept)
        }
        #expect(blocks.take(20).spare == 3)
        #expect(blocks.used == [3: 32] && blocks.spare.map(\.address) == [1, 2, 4])
    }

    @Test func `has no more blocks than were in use at the same time`() {
        var blocks = HashingBlocks()
        blocks.add(1, 16)
        #expect(blocks.giveBack(1) == .kept)
        let (spare, unfit) = blocks.take(20)
        #expect(spare == nil && unfit == HashingBlocks.Block(address: 1, length: 16))
        #expect(blocks.spare.isEmpty && blocks.used.isEmpty)
        #expect(blocks.take(20).unfit == nil)
    }

    @Test func `keeps blocks for hashes of twice the usual cost, but no longer ones, and knows no others`() {
        var blocks = HashingBlocks()
        blocks.add(1, 32 << 20 + 4096)
        blocks.add(2, 64 << 20)
        #expect(blocks.giveBack(1) == .kept)
        #expect(blocks.giveBack(2) == .unneeded(HashingBlocks.Block(address: 2, length: 64 << 20)))
        #expect(blocks.giveBack(2) == .unknown && blocks.giveBack(3) == .unknown)
    }

    @Test(arguments: [(100, 200), (100, large), (large, 3 * large), (large, 100)])
    func `keeps the content of a block that changes its size`(size: Int, changed: Int) throws {
        let block = try #require(HashingMemory.allocate(size))
        block.initializeMemory(as: UInt8.self, repeating: 7, count: size)
        let other = try #require(HashingMemory.reallocate(block, changed))
        let least = min(size, changed)
        #expect(stride(from: 0, to: least, by: 997).allSatisfy { other.load(fromByteOffset: $0, as: UInt8.self) == 7 })
        #expect(other.load(fromByteOffset: least - 1, as: UInt8.self) == 7)
        other.initializeMemory(as: UInt8.self, repeating: 8, count: changed)
        HashingMemory.free(other)
    }

    @Test func `a reallocation of nothing allocates, one to nothing frees, and freeing nothing does nothing`() throws {
        let block = try #require(HashingMemory.reallocate(nil, Self.large))
        #expect(UInt(bitPattern: block).isMultiple(of: 2 << 20))
        #expect(HashingMemory.reallocate(block, 0) == nil)
        HashingMemory.free(nil)
    }

    @Test func `gives no block to two threads`() async {
        let mixed = await withTaskGroup(of: Int.self) { group in
            for number in 1...8 as ClosedRange<UInt8> { group.addTask { await Self.mixed(number) } }
            return await group.reduce(0, +)
        }
        #expect(mixed == 0)
    }

    /// How often a block had another's number while it was in use.
    private static func mixed(_ number: UInt8) async -> Int {
        var mixed = 0
        for round in 0..<50 {
            // Now and then one that is too long to be kept.
            let size = round % 10 == 0 ? 40 << 20 : large
            guard let block = HashingMemory.allocate(size) else { return 1 }
            for end in [0, size - 1] { block.storeBytes(of: number, toByteOffset: end, as: UInt8.self) }
            await Task.yield()
            for end in [0, size - 1] where block.load(fromByteOffset: end, as: UInt8.self) != number { mixed += 1 }
            HashingMemory.free(block)
        }
        return mixed
    }
}
