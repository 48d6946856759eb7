import JSON
import Text

/// Writes shapes as JSON Schemas. <https://spec.openapis.org/oas/v3.1.1#schema-object>
struct Schemas {
    /// The descriptions of fields, by name.
    let fields: [String: String]

    /// - Parameter isInput: whether clients send it. Then a 64-bit number may also be a text, as Google's servers read it.
    func schema(of shape: JSONShape, isInput: Bool) -> JSON.Object {
        switch shape {
        case .text: ["type": "string"]
        case .flag: ["type": "boolean"]
        case .integer(let bits) where bits == 64 && isInput: ["type": ["integer", "string"], "format": "int64"]
        case .integer(let bits): ["type": "integer", "format": .string("int\(bits)")]
        case .number: ["type": "number"]
        case .choice(let names): ["type": "string", "enum": .array(names.map(JSON.string))]
        case .list(let element): ["type": "array", "items": .object(schema(of: element, isInput: isInput))]
        case .map(let value): ["type": "object", "additionalProperties": .object(schema(of: value, isInput: isInput))]
        case .object(let members): object(of: members, isInput: isInput)
        case .anything: [:]
        }
    }

    /// The parameters of a query, or of a path.
    func parameters(_ members: [JSONShape.Member], in place: String) -> [JSON] {
        members.map { member in
            var parameter: JSON.Object = ["name": .string(member.name), "in": .string(place)]
            parameter["description"] = fields[member.name].map(JSON.string)
            if member.isRequired { parameter["required"] = true }
            var schema = schema(of: member.shape, isInput: true)
            // No id has other characters. Some of those, in a path, are refused before any call is looked for (`CanonicalPath`).
            if place == "path" { schema["pattern"] = "^[A-Za-z0-9_-]([A-Za-z0-9._-]*[A-Za-z0-9_-])?$" }
            parameter["schema"] = .object(schema)
            return .object(parameter)
        }
    }

    private func object(of members: [JSONShape.Member], isInput: Bool) -> JSON.Object {
        var properties: JSON.Object = [:]
        for member in members { properties[UTF8Text(member.name)] = .object(property(member, isInput: isInput)) }
        var schema: JSON.Object = ["type": "object", "properties": .object(properties)]
        let required = members.filter(\.isRequired).map { JSON.string($0.name) }
        if !required.isEmpty { schema["required"] = .array(required) }
        return schema
    }

    private func property(_ member: JSONShape.Member, isInput: Bool) -> JSON.Object {
        var schema: JSON.Object = [:]
        schema["description"] = fields[member.name].map(JSON.string)
        schema = schema.merging(self.schema(of: member.shape, isInput: isInput))
        if member.isNullable, let type = schema["type"] { schema["type"] = .array((type.array ?? [type]) + ["null"]) }
        return schema
    }
}
