package import Text

extension JSON {
    /// The members of a JSON object, in the order they were written. Equality ignores the order.
    ///
    /// Few members are searched one by one, many through an index, so that the cost of a large object from outside grows only with its
    /// size.
    package struct Object: Sendable {
        package struct Member: Sendable, Equatable {
            package let name: UTF8Text
            package var value: JSON

            package init(name: UTF8Text, value: JSON) {
                self.name = name
                self.value = value
            }
        }

        package private(set) var members: [Member] = []
        private var index: [UTF8Text: Int]?
        private static let few = 16

        package init() {}

        /// When two members have the same name, the later one counts.
        package init(_ members: some Sequence<(UTF8Text, JSON)>) {
            for (name, value) in members { self[name] = value }
        }

        /// Reads, replaces or appends a member; nil removes it.
        package subscript(name: UTF8Text) -> JSON? {
            get { position(of: name).map { members[$0].value } }
            set {
                switch (position(of: name), newValue) {
                case (let position?, let value?):
                    members[position].value = value
                case (let position?, nil):
                    members.remove(at: position)
                    index = nil
                    buildIndex()
                case (nil, let value?):
                    add(Member(name: name, value: value))
                case (nil, nil):
                    break
                }
            }
        }

        /// The members of both objects; when both have a name, the member of `other` counts.
        package func merging(_ other: Object) -> Object {
            other.members.reduce(into: self) { merged, member in merged[member.name] = member.value }
        }

        /// Appends a member. Returns false and changes nothing when the name is taken.
        mutating func append(_ name: UTF8Text, _ value: JSON) -> Bool {
            guard position(of: name) == nil else { return false }
            add(Member(name: name, value: value))
            return true
        }

        private mutating func add(_ member: Member) {
            if members.isEmpty { members.reserveCapacity(4) }
            members.append(member)
            if members.count <= Self.few { return }
            if index == nil { buildIndex() } else { index?[member.name] = members.count - 1 }
        }

        private mutating func buildIndex() {
            guard members.count > Self.few else { return }
            index = Dictionary(uniqueKeysWithValues: members.enumerated().map { ($1.name, $0) })
        }

        private func position(of name: UTF8Text) -> Int? {
            if let index { return index[name] }
            // `firstIndex` would copy every member that it looks at.
            for at in members.indices where members[at].name == name { return at }
            return nil
        }
    }
}

extension JSON.Object: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { members.count }
    package subscript(position: Int) -> Member { members[position] }
}

extension JSON.Object: Equatable {
    package static func == (left: Self, right: Self) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.name] == $0.value }
    }
}

extension JSON.Object: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral members: (UTF8Text, JSON)...) { self.init(members) }
}
