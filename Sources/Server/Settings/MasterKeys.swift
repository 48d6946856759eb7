import Accounts
import Config
import Crypto
import Runtime

extension MasterKey {
    /// The keys of `masterKey`: one key, or a list of which the first one seals.
    init(_ texts: [Secret], _ section: Section) {
        var keys: [[UInt8]] = []
        for (index, text) in texts.enumerated() where !text.reveal().isEmpty {
            let name = texts.count == 1 ? "" : "key \(index + 1) of the list "
            do throws(MasterKey.TextFault) {
                let key = try MasterKey.bytes(of: text.reveal())
                if keys.contains(key) { section.fault("masterKey", name + "is listed twice; list each key once") }
                keys.append(key)
            } catch {
                section.fault("masterKey", name + error.message)
            }
        }
        // A replacement where the key is missing, which is a fault.
        self.init(bytes: keys.first ?? Random.bytes(32), others: Array(keys.dropFirst()))
    }
}
