import HTTP
import JSON
import Text
import Web

/// `updateMask` of a call that changes a resource: the fields that it sets. A field that it names and the body does not have is set to nothing. Without
/// a mask, the call sets what the body has.
/// <https://protobuf.dev/reference/protobuf/google.protobuf/#field-mask>
struct UpdateMask {
    /// The paths of the fields, in camelCase.
    let paths: [UTF8Text]

    /// The mask of a call that has none.
    static let none = UpdateMask(paths: [])

    var isEmpty: Bool { paths.isEmpty }

    /// Whether it names a field, or a group around it.
    func names(_ path: UTF8Text) -> Bool { paths.contains { $0 == path || path.hasPrefix("\($0).") } }

    /// The part of a body that it names: of a group, the fields by themselves. Without a mask, all of the body.
    func limiting(_ body: JSON.Object) -> JSON.Object { isEmpty ? body : limiting(body, below: "") }

    private func limiting(_ object: JSON.Object, below group: UTF8Text) -> JSON.Object {
        JSON.Object(
            object.compactMap { member in
                let path: UTF8Text = "\(group)\(camelCase(member.name))"
                if names(path) { return (member.name, member.value) }
                guard let inner = member.value.object, paths.contains(where: { $0.hasPrefix("\(path).") }) else { return nil }
                return (member.name, .object(limiting(inner, below: "\(path).")))
            })
    }

    /// The first path that is not among these fields.
    func unknown(among fields: Set<UTF8Text>) -> UTF8Text? { paths.first { !fields.contains($0) } }
}

extension UpdateMask {
    init(_ request: Request) throws(Failure) {
        self.init(
            paths: try Form.reading(request.query).all("updateMask").flatMap { $0.split { $0 == UInt8(ascii: ",") } }.map(camelCase))
    }
}

extension Failure {
    static func unknownInMask(_ path: UTF8Text, of resource: String) -> Failure {
        .invalidArgument("updateMask has \(path), which is not a setting of \(resource).")
    }
}
