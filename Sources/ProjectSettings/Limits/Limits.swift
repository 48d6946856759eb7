import Config

/// The limits of a project: the table `LimitedAction.standard` with the changes of its file.
///
/// In development mode the table applies only if the file says so; otherwise only the limits in the file apply, because test suites sign
/// up hundreds of people an hour from one address.
///
/// ```yaml
/// limits:
///   defaults: true                      # in development mode, where it is false unless written
///   signUp: {perAddress: 20 per 1h, perProject: 1000 per 1d}
///   deleteAccount: {perAddress: none}
/// ```
package struct Limits: Sendable {
    private var rates: [LimitedAction: [(scope: LimitScope, rate: Rate?)]]

    package init() {
        rates = Dictionary(uniqueKeysWithValues: LimitedAction.allCases.map { ($0, $0.standard) })
    }

    /// Reads the section `limits` of a project file.
    init(_ section: Section, development: Bool) {
        self.init()
        let defaults = section.bool("defaults", default: !development)
        if !defaults, !development {
            section.fault("defaults", "can be false only in development mode; to remove a limit, write none for it")
        }
        if !defaults { rates = rates.mapValues { $0.map { ($0.scope, nil) } } }
        for action in LimitedAction.allCases {
            let entry = section.section(action.rawValue)
            for (scope, _) in action.standard {
                let value = entry.value(scope.configKey, expected: "a rate such as 60 per 10m (1 to 1000000, 1s to 30d), or none") {
                    $0 == "none" ? Entry.none : Rate($0).map(Entry.rate)
                }
                switch value {
                case .none?: self[action, scope] = nil
                case .rate(let rate)?: self[action, scope] = rate
                case nil: break
                }
            }
            entry.finish()
        }
        section.finish()
    }

    private enum Entry {
        case none
        case rate(Rate)
    }

    /// `nil` means no limit. Only the scopes of the table can be set.
    package subscript(action: LimitedAction, scope: LimitScope) -> Rate? {
        get { rates[action]?.first { $0.scope == scope }?.rate }
        set {
            guard let index = rates[action]?.firstIndex(where: { $0.scope == scope }) else { return }
            rates[action]?[index].rate = newValue
        }
    }

    /// The limits that are set for `action`, in the order in which their refusals are told.
    package func limits(of action: LimitedAction) -> [(scope: LimitScope, rate: Rate)] {
        (rates[action] ?? []).compactMap { scope, rate in rate.map { (scope, $0) } }
    }
}
