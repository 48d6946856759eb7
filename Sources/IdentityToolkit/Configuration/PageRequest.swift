import Text
import Web

/// The part of a list that a call asks for.
struct PageRequest: Decodable, Sendable {
    var pageSize: Int?
    /// The id of the last entry of the page before.
    var pageToken: UTF8Text?

    /// The next entries in the order of their ids, and the token of the page behind them, if there is one.
    ///
    /// - Parameters:
    ///   - usual: the size of a page for a call that does not name one.
    ///   - most: the largest.
    func page<Entry>(of entries: [(id: String, entry: Entry)], usual: Int = 20, most: Int = 100) throws(Failure) -> (
        entries: [Entry], next: String?
    ) {
        let size = pageSize ?? 0
        guard size >= 0 else { throw .invalidArgument("pageSize must not be negative.") }
        let last = pageToken ?? ""
        let rest = entries.filter { last < UTF8Text($0.id) }.sorted { UTF8Text($0.id) < UTF8Text($1.id) }
        let page = rest.prefix(size == 0 ? usual : min(size, most))
        return (page.map(\.entry), page.count < rest.count ? page.last?.id : nil)
    }
}
