package import HTTP
import JSON

/// A request body as Google's REST mapping of protocol buffers reads it.
package enum JSONBody {
    /// Decodes once; an empty body is an empty object. What no client may ask without administrator's access is refused here, for every
    /// call alike.
    package static func decode<Input: Decodable>(_ type: Input.Type, from request: Request) throws(Failure) -> Input {
        do {
            let body = try request.body.isEmpty ? JSON.object([:]) : JSON.parse(request.body)
            guard case .object(let object) = body else { throw Failure.invalidJSON("Root element must be a message.") }
            if let target = object["targetProjectId"] ?? object["target_project_id"], target != .null {
                throw Failure.unauthenticatedTarget
            }
            for tenant in [object["tenantId"], object["tenant_id"]] where tenant?.isNull == false {
                guard let name = tenant?.string else { throw Failure.invalidJSON("tenantId: expected a string.") }
                if !name.isEmpty { throw Failure.unsupportedTenantOperation }
            }
            return try body.decode(Input.self, spelling: .wire)
        } catch let failure as Failure {
            throw failure
        } catch {
            throw .invalidJSON("\(error)")
        }
    }
}

extension Response {
    /// A JSON answer that no cache keeps.
    package init(json: [UInt8], status: Int = 200) {
        self.init(status: status, headers: jsonHeaders, body: json)
    }
}

/// Made once, since nearly every answer has them.
private let jsonHeaders: Headers = ["content-type": "application/json; charset=utf-8", "cache-control": "no-store"]
