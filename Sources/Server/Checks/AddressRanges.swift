import Config
import HTTP

/// Finds ranges of addresses that are well formed but turn off the protection that they belong to.
enum AddressRanges {
    /// Addresses at which clouds give the credentials of a machine to any program that asks from there.
    private static let metadata = ["169.254.169.254", "168.63.129.16", "100.100.100.200", "fd00:ec2::254"].compactMap { Address($0) }

    /// A proxy is believed about its client's address, so a range that contains other machines lets those pretend to be any client.
    static func checkProxies(_ ranges: [CIDR], _ key: String, _ section: Section) {
        for range in ranges where range.isWide {
            section.fault(key, "\(range) holds clients too, who could then name any address as theirs; write the proxies' own addresses")
        }
    }

    /// Checks the addresses that the server may call besides public ones.
    static func checkDialled(_ ranges: [CIDR], _ key: String, _ section: Section) {
        for range in ranges {
            if range.isWide {
                section.fault(
                    key, "\(range) lets a provider's document have the server call any machine; write the addresses of your own providers")
            } else if let address = metadata.first(where: range.contains) {
                section.note(key, "\(range) holds \(address), where clouds give out a machine's credentials; leave it out")
            }
        }
    }
}
