import Crypto
import Testing

/// Known answers: FIPS 180-2, RFC 2202, RFC 4231, RFC 5869.
@Suite struct DigestTests {
    @Test func `hashes "abc" as FIPS 180 says`() {
        let abc = Array("abc".utf8)
        #expect(Digest.sha1(abc) == hex("a9993e364706816aba3e25717850c26c9cd0d89d"))
        #expect(Digest.sha256(abc) == hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
        #expect(
            Digest.sha384(abc)
                == hex(
                    """
                    cb00753f45a35e8bb5a03d699ac65007272c32ab0eded163 1a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7
                    """))
        #expect(
            Digest.sha512(abc)
                == hex(
                    """
                    ddaf35a193617abacc417349ae20413112e6fa4e89a97ea2 0a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd
                    454d4423643ce80e2a9ac94fa54ca49f
                    """))
    }

    @Test func `hashes nothing at all`() {
        #expect(Digest.sha256([]) == hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
    }

    @Test(arguments: [
        ("0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        ("4a656665", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        (
            String(repeating: "aa", count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        ("", "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ])
    func `authenticates with HMAC-SHA-256 as RFC 4231 says`(key: String, text: String, code: String) {
        #expect(Digest.hmacSHA256(key: hex(key), Array(text.utf8)) == hex(code))
        #expect(Digest.hmacSHA256(key: hex(key), Array(text.utf8)) == hex(code), "a second use gives the same")
    }

    @Test(arguments: [
        ("0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "Hi There", "b617318655057264e28bc0b6fb378c8ef146be00"),
        ("4a656665", "what do ya want for nothing?", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
        (
            String(repeating: "aa", count: 80), "Test Using Larger Than Block-Size Key - Hash Key First",
            "aa4ae5e15272d00e95705637ce8a3b55ed402112"
        ),
        ("", "", "fbdb1d1b18aa6c08324b7d64b71fb76370690e1d"),
    ])
    func `authenticates with HMAC-SHA-1 as RFC 2202 says`(key: String, text: String, code: String) {
        #expect(Digest.hmacSHA1(key: hex(key), Array(text.utf8)) == hex(code))
        #expect(Digest.hmacSHA1(key: hex(key), Array(text.utf8)) == hex(code), "a second use gives the same")
    }

    @Test func `compares bytes of equal and of different length`() {
        #expect(constantTimeEqual([], []))
        #expect(constantTimeEqual([1, 2, 3], [1, 2, 3]))
        #expect(!constantTimeEqual([1, 2, 3], [1, 2, 4]))
        #expect(!constantTimeEqual([1, 2, 3], [1, 2]))
    }
}
