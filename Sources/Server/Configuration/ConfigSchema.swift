import Config
import JSON
import Projects
import Providers
import Text

/// JSON Schemas of the configuration files, for editors: keys, forms, ranges and defaults, as the readers have them.
///
/// A schema cannot say all that `gatehouse check` says: what depends on another key, on a file or on the environment is left to it.
/// <https://json-schema.org/draft-07>
package enum ConfigSchema: String, CaseIterable {
    /// `gatehouse.yaml`.
    case server
    /// A file in the folder of the projects.
    case project
    /// A file in the folder of a project's tenants.
    case tenant

    private var title: String {
        switch self {
        case .server: "gatehouse.yaml"
        case .project: "a project's file"
        case .tenant: "a tenant's file"
        }
    }

    package var text: String {
        var schema = Self.schema(of: shape)
        schema["$schema"] = "http://json-schema.org/draft-07/schema#"
        schema["title"] = .string("Gatehouse: \(title)")
        return JSON.object(schema).text()
    }

    private var shape: Shape {
        switch self {
        case .server:
            // Sections that are read only where they are there, and keys of which only one of two is read.
            let common = "development: true\nmigrations: /none\nsample: /none\nlog: {path: /none}\nerasures: {path: /none}\n"
            let consoles = Provider.samples(with: Self.issuer).map { "console: {operators: [{}], provider: {\(Self.entries($0))}}\n" }
            let files = consoles.flatMap { console in ["smtp", "file"].map { common + console + "mail: {transport: \($0)}" } }
            return ConfigFile.shape(of: files) { _ = ServerSettings($0) }
        case .tenant:
            let project = ConfigFile.read(text: "project: none", name: "", faults: Faults())
            let parent = ProjectFile.read(project, development: false, publicURL: Self.publicURL)
            return ConfigFile.shape(of: Self.samples(of: "")) {
                _ = TenantFile.read("none", $0, of: parent, development: false, publicURL: Self.publicURL)
            }
        case .project:
            let own =
                "apps: [{ios: {}}, {android: {}}]\nmigration: {firebase: {}}\nfirestore: {}\n"
                + "hooks: {beforeCreate: {audience: x}, beforeSignIn: {audience: x}, beforeSendEmail: {audience: x}, "
                + "beforeSendSms: {audience: x}}\n"
            return ConfigFile.shape(of: Self.samples(of: own)) {
                _ = ProjectFile.read($0, development: false, publicURL: Self.publicURL)
            }
        }
    }

    /// Files in which every section is there, each with one provider of every kind.
    private static func samples(of more: String) -> [String] {
        Provider.samples(with: issuer).map { entries in
            more + "mail: {templates: /none}\n"
                + "openIDProvider: {userFlows: [{}], clients: [{}]}\npasskeys: {}\nevents: [{}]\n"
                + "phone: {captcha: {hcaptcha: {}, recaptcha: {}, recaptchaEnterprise: {}, turnstile: {}}, "
                + "transport: {hook: {}, twilio: {}, vonage: {}, sns: {}, file: {}, log: {}}}\nproviders: {\(Self.entries(entries))}"
        }
    }

    /// The mapping's members, each with its id.
    private static func entries(_ all: [(id: String, entry: String)]) -> String {
        all.map { "\($0.id): \($0.entry)" }.joined(separator: ", ")
    }

    private static let publicURL = "https://localhost"

    /// Stands for every OpenID Connect issuer.
    private static let issuer = "oidc.example"

    private static func schema(of shape: Shape) -> JSON.Object {
        var properties: JSON.Object = [:]
        for (key, form) in shape.members.sorted(by: { $0.key < $1.key }) {
            properties[UTF8Text(key)] = .object(schema(of: form, isRequired: shape.required.contains(key)))
        }
        var schema: JSON.Object = ["type": ["object", "null"], "properties": .object(properties), "additionalProperties": false]
        if !shape.required.isEmpty { schema["required"] = .array(shape.required.sorted().map(JSON.string)) }
        return schema
    }

    private static func schema(of form: Shape.Form, isRequired: Bool) -> JSON.Object {
        switch form {
        case .text(let expected): scalar(expected)
        case .boolean(let value): ["type": "boolean", "default": .bool(value)]
        case .integer(let range, let value): integer(range, value)
        case .duration(let range, let value):
            [
                "type": "string", "pattern": "^[0-9]+[smhd]$", "default": .string(value.text),
                "description": .string("a time from \(range.lowerBound.text) to \(range.upperBound.text)"),
            ]
        case .choice(let choices, let value): choice(choices, value)
        case .list(let expected): oneOrMore(scalar(expected))
        case .secret(let severalAllowed): severalAllowed ? oneOrMore(secret, orNone: !isRequired) : secret
        case .texts: ["type": ["object", "null"], "additionalProperties": .object(scalar("text"))]
        case .mapping(let shape): schema(of: shape)
        case .mappings(let shape): ["type": ["array", "null"], "items": .object(schema(of: shape))]
        case .named(let shapes): named(shapes)
        }
    }

    /// Numbers and truth values are texts, too, where a text is asked for.
    private static func scalar(_ expected: String) -> JSON.Object {
        ["type": ["string", "number", "boolean"], "description": .string(expected)]
    }

    private static func integer(_ range: ClosedRange<Int>, _ value: Int?) -> JSON.Object {
        var schema: JSON.Object = [
            "type": "integer", "minimum": .integer(Int64(range.lowerBound)), "maximum": .integer(Int64(range.upperBound)),
        ]
        schema["default"] = value.map { .integer(Int64($0)) }
        return schema
    }

    private static func choice(_ choices: [String], _ value: String?) -> JSON.Object {
        var schema: JSON.Object = ["enum": .array(choices.map(JSON.string))]
        schema["default"] = value.map(JSON.string)
        return schema
    }

    private static func oneOrMore(_ item: JSON.Object, orNone: Bool = true) -> JSON.Object {
        var forms: [JSON] = [.object(item), ["type": "array", "items": .object(item)]]
        if orNone { forms.append(["type": "null"]) }
        return ["anyOf": .array(forms)]
    }

    private static var secret: JSON.Object {
        [
            "type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": false,
            "properties": ["env": ["type": "string"], "file": ["type": "string"], "credential": ["type": "string"]],
            "description": "a secret by reference: {env: NAME}, {file: path} or {credential: name}",
        ]
    }

    private static func named(_ shapes: [String: Shape]) -> JSON.Object {
        var properties: JSON.Object = [:]
        var patterns: JSON.Object = [:]
        for (name, shape) in shapes.sorted(by: { $0.key < $1.key }) {
            let schema = JSON.object(schema(of: shape))
            if name == issuer { patterns[UTF8Text(Provider.openIDPattern)] = schema } else { properties[UTF8Text(name)] = schema }
        }
        return [
            "type": ["object", "null"], "properties": .object(properties), "patternProperties": .object(patterns),
            "additionalProperties": false,
        ]
    }
}
