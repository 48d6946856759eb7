import JSON
import Text

/// The members of records that a source does not read. Each name is told once, however many records have it.
struct UnknownMembers {
    /// A hostile file has many.
    private static let most = 100

    private var told: Set<UTF8Text> = []

    mutating func count(in record: JSON.Object, besides known: Set<UTF8Text>, _ losses: inout SourceLosses) {
        for member in record where !known.contains(member.name) {
            guard told.count < Self.most, told.insert(member.name).inserted else { continue }
            losses.add("member \(member.name.prefix(bytes: 64)), which this import does not know")
        }
    }
}
