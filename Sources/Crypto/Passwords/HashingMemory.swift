import COpenSSL
import Glibc

/// Huge pages for the memory that scrypt needs.
///
/// scrypt reads its 16 MiB block by block in an order that cannot be foreseen. In pages of 4 KiB, nearly each block means a walk through the
/// page tables. libcrypto allocates this memory itself, but a program may say with which functions:
/// <https://docs.openssl.org/3.0/man3/OPENSSL_malloc/>
package enum HashingMemory {
    private static let hugePage = 2 << 20

    /// Whether libcrypto takes its memory from here. The first use of this value tells it to, and must come before anything else of
    /// libcrypto, which does not change its functions once it has used them. Where the kernel has no huge pages
    /// (`/sys/kernel/mm/transparent_hugepage/enabled` says `never`), hashes are as before.
    package static let isUsed =
        CRYPTO_set_mem_functions(
            { size, _, _ in HashingMemory.allocate(size) }, { block, size, _, _ in realloc(block, size) }, { block, _, _ in free(block) })
        == 1

    private static func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
        guard let block = malloc(size) else { return nil }
        if size >= 2 * hugePage {
            // Only whole huge pages of the block itself, which is not aligned. With `aligned_alloc` instead, malloc gives the memory back to the
            // kernel after each hash, which must then fill it with zeros for the next.
            let first = block.alignedUp(toMultipleOf: hugePage), end = (block + size).alignedDown(toMultipleOf: hugePage)
            // After a failure, hashes are as before.
            madvise(first, end - first, MADV_HUGEPAGE)
        }
        return block
    }
}
