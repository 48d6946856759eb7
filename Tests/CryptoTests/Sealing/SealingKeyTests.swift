import Testing

@testable import Crypto

/// Known answers: the GCM specification's AES-256 test cases 13-15, opened as version ‖ nonce ‖ ciphertext ‖ tag.
@Suite struct SealingKeyTests {
    let key = [UInt8](repeating: 0, count: 32)

    @Test func `opens test cases 13 and 14 of the GCM specification`() throws {
        let nonce = String(repeating: "00", count: 12)
        let empty = hex("01" + nonce + "530f8afbc74536b9a963b4f1c4cb738b")
        #expect(try SealingKey(key).open(empty, context: "") == [])
        let block = hex("01" + nonce + "cea7403d4d606b6e074ec5d3baf39d18" + "d0d1c8a799996bf0265b98b5d48ab919")
        #expect(try SealingKey(key).open(block, context: "") == [UInt8](repeating: 0, count: 16))
    }

    @Test func `opens test case 15 of the GCM specification`() throws {
        let half = "feffe9928665731c6d6a8f9467308308"
        let sealed =
            "01" + "cafebabefacedbaddecaf888" + """
                522dc1f099567d07f47f37a32a84427d 643a8cdcbfe5c0c97598a2bd2555d1aa 8cb08e48590dbb3da7b08b1056828838
                c5f61e6393ba7a0abcc9f662898015ad b094dac5d93471bdec1a502270e3cc6c
                """
        let plain = """
            d9313225f88406e5a55909c5aff5269a 86a7a9531534f7da2e4c303d8a318a72 1c3c0c95956809532fcf0e2449a6b525
            b16aedf5aa0de657ba637b391aafd255
            """
        #expect(try SealingKey(hex(half + half)).open(hex(sealed), context: "") == hex(plain))
    }

    @Test(arguments: [0, 1, 15, 16, 17, 5000])
    func `opens what it sealed`(count: Int) throws {
        let key = SealingKey(Random.bytes(32))
        let plain = Random.bytes(count)
        let sealed = key.seal(plain, context: "signing-key/1")
        #expect(sealed.count == 1 + 12 + count + 16)
        #expect(try key.open(sealed, context: "signing-key/1") == plain)
        #expect(key.seal(plain, context: "signing-key/1") != sealed, "each sealing has a nonce of its own")
    }

    @Test func `refuses another context, another key and another version`() throws {
        let key = SealingKey(Random.bytes(32))
        var sealed = key.seal([1, 2, 3], context: "signing-key/1")
        #expect(throws: CryptoError.notOpened) { try key.open(sealed, context: "signing-key/2") }
        #expect(throws: CryptoError.notOpened) { try key.open(sealed, context: "") }
        #expect(throws: CryptoError.notOpened) { try SealingKey(Random.bytes(32)).open(sealed, context: "signing-key/1") }
        sealed[0] = 2
        #expect(throws: CryptoError.notOpened) { try key.open(sealed, context: "signing-key/1") }
    }

    @Test func `refuses every altered bit and every shorter text`() throws {
        let key = SealingKey(Random.bytes(32))
        let sealed = key.seal([1, 2, 3, 4, 5], context: "c")
        for index in sealed.indices {
            for bit in 0..<8 {
                var altered = sealed
                altered[index] ^= 1 << bit
                #expect(throws: CryptoError.notOpened) { try key.open(altered, context: "c") }
            }
            #expect(throws: CryptoError.notOpened) { try key.open(Array(sealed[..<index]), context: "c") }
        }
    }

    @Test(arguments: [0, 16, 31, 33]) func `takes 32 bytes and no other number`(count: Int) async {
        await #expect(processExitsWith: .failure) { [count] in _ = SealingKey([UInt8](repeating: 1, count: count)) }
    }

    @Test func `SEC-21 prints nothing of the key`() throws {
        let key = SealingKey([UInt8](repeating: 0xAB, count: 32))
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] { #expect(!text.contains("171") && text.contains("sealing key")) }
    }
}
