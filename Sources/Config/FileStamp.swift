import Glibc

/// The state of a file, or of a folder's list of names, by which a change of it shows.
package struct FileStamp: Sendable, Equatable {
    private let inode: UInt64
    private let size: Int64
    private let changed: Int64

    /// `nil` for a file that cannot be looked at, and for a pipe, which is another one each time.
    package init?(_ file: String) {
        var status = stat()
        guard stat(file, &status) == 0, [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { return nil }
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        changed = Int64(status.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_ctim.tv_nsec)
    }
}
