import Accounts
import Text

/// Finds the accounts that an earlier import has made and that the source does not have any more.
struct GoneAccounts {
    enum Rule {
        /// They are only counted.
        case count
        /// They are deleted here, unless something of them was changed here since the last import.
        case delete
    }

    /// The ids that a source has, in eight bytes each, so that a million take little memory. Two ids with the same eight bytes only keep an
    /// account from being found gone.
    struct Present {
        private var hashes: Set<Int> = []

        var isEmpty: Bool { hashes.isEmpty }
        mutating func add(_ id: String) { hashes.insert(UTF8Text(id).hashValue) }
        func contains(_ id: String) -> Bool { hashes.contains(UTF8Text(id).hashValue) }
    }

    let access: UsersCommand.Access
    let present: Present

    /// Gives the ids of those that are gone, up to a thousand at a time: those that were not changed here, and how many others there are.
    private func forEachPage(_ body: (_ unchanged: [String], _ changed: Int) async throws -> Void) async throws {
        let imports = access.accounts.administration.imports
        var last: String?
        while true {
            let page = try await imports.earlier(after: last, by: access.administrator)
            guard let end = page.last else { return }
            last = end.id
            let gone = page.filter { !present.contains($0.id) }
            let unchanged = gone.filter(\.isUnchangedHere).map(\.id)
            try await body(unchanged, gone.count - unchanged.count)
        }
    }

    /// The numbers of those that are gone there: unchanged here, and changed here.
    func counts() async throws -> (unchanged: Int, changed: Int) {
        var counts = (unchanged: 0, changed: 0)
        try await forEachPage { unchanged, changed in
            counts.unchanged += unchanged.count
            counts.changed += changed
        }
        return counts
    }

    /// Deletes those that were not changed here. Returns their number.
    func delete() async throws -> Int {
        var count = 0
        try await forEachPage { unchanged, _ in
            guard !unchanged.isEmpty else { return }
            _ = try await access.accounts.deletion.deleteAll(of: unchanged, enabledToo: true, by: access.administrator)
            count += unchanged.count
        }
        return count
    }
}
