import Text

/// The names that no project and no tenant may have, because addresses of this server begin with them, or because Microsoft's libraries
/// take them for something else.
enum ReservedNames {
    private static let all: Set<UTF8Text> = [
        ".well-known", "__", "admin", "common", "consumers", "emulator", "health", "identitytoolkit.googleapis.com", "metrics",
        "organizations", "sample", "securetoken.googleapis.com", "static", "te", "tfp", "v1", "v1beta1", "v2",
    ]

    /// Stands behind the name in a fault.
    static let reason = "is reserved, since other addresses of this server begin with it; choose another name"

    static func contains(_ name: String) -> Bool { all.contains(UTF8Text(name).asciiLowercased) }
}
