import Text

/// The accounts that may sign in: all accounts, all work or school accounts, all private accounts, or those of one organisation.
/// <https://learn.microsoft.com/entra/identity-platform/v2-protocols#endpoints>
enum MicrosoftTenant: Sendable, Hashable {
    case common, organizations, consumers
    /// A GUID in lower case.
    case id(String)
    /// A verified domain in lower case; its GUID is in its discovery document.
    case domain(String)

    /// The tenant of all private accounts.
    static let consumerID = "9188040d-6c67-4c5b-b112-36a304b66dad"

    /// `nil` when the text is neither one of the three words, nor a GUID, nor a domain name.
    init?(_ text: UTF8Text) {
        // A text that is not ASCII is none of the three words.
        switch text.asciiLowercased {
        case "common": self = .common
        case "organizations": self = .organizations
        case "consumers": self = .consumers
        case let text where Self.isID(text): self = .id(text.asString)
        case let text where Self.isDomain(text): self = .domain(text.asString)
        default: return nil
        }
    }

    /// The tenant's form in URLs.
    var segment: String {
        switch self {
        case .common: "common"
        case .organizations: "organizations"
        case .consumers: "consumers"
        case .id(let text), .domain(let text): text
        }
    }

    /// Whether it is a single organisation, so that the operator knows who administers it.
    var isSpecific: Bool {
        switch self {
        case .id(let id): id != Self.consumerID
        case .domain: true
        default: false
        }
    }

    /// Whether tokens of the tenant with this GUID (in lower case) can come from here. The GUID of a domain is not known here.
    func includes(_ id: String) -> Bool {
        switch self {
        case .common, .domain: true
        case .organizations: id != Self.consumerID
        case .consumers: id == Self.consumerID
        case .id(let own): id == own
        }
    }

    /// Whether `other` asks for no more than this tenant does.
    func covers(_ other: MicrosoftTenant) -> Bool {
        switch (self, other) {
        case (.common, _): true
        case (.organizations, .id(let id)), (.consumers, .id(let id)): includes(id)
        case (.organizations, .domain): true
        default: self == other
        }
    }

    /// 8-4-4-4-12 hex digits in lower case.
    static func isID(_ text: UTF8Text) -> Bool {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return groups.map(\.count) == [8, 4, 4, 4, 12]
            && groups.joined().allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static func isDomain(_ text: UTF8Text) -> Bool {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return text.utf8.count <= 253 && labels.count > 1
            && labels.allSatisfy { label in
                (1...63).contains(label.count) && label.first != 0x2D && label.last != 0x2D
                    && label.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D }
            }
    }
}
