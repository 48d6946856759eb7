import Accounts
import JSON
import ProjectSettings
import Text
import Web

extension RequestedClaims {
    /// Far more names than there are claims.
    private static let most = 64

    /// Reads the parameter `claims`: the names of the claims and, where it says so, the account that must answer, and how strong its sign-in
    /// must be.
    ///
    /// Apart from `acr`, whether a claim is essential makes no difference: a claim without a value is left out in any case. A member that is
    /// neither null nor an object is a fault. <https://openid.net/specs/openid-connect-core-1_0.html#ClaimsParameter>
    static func reading(_ text: UTF8Text?) throws(Failure) -> (RequestedClaims?, subject: UTF8Text?, acr: JSON?) {
        guard let text else { return (nil, nil, nil) }
        guard let object = try? JSON.parse(Array(text.utf8)), object.object != nil else {
            throw .invalidRequest("The parameter claims is not a JSON object.")
        }
        let (idToken, userInfo) = (try members(object, "id_token"), try members(object, "userinfo"))
        let subjects = Set([idToken, userInfo].compactMap { $0["sub"]?["value"]?.string })
        guard subjects.count <= 1 else { throw .invalidRequest("The parameter claims names different accounts.") }
        return (RequestedClaims(idToken: names(idToken), userInfo: names(userInfo)), subjects.first, idToken["acr"])
    }

    /// The scopes that give these claims.
    var scopes: Set<String> { Set((idToken + userInfo).compactMap(UserInfoClaims.scope)) }

    private static func members(_ claims: JSON, _ name: UTF8Text) throws(Failure) -> JSON.Object {
        guard let value = claims[name], !value.isNull else { return [:] }
        guard let object = value.object, object.count <= most,
            object.allSatisfy({ ($0.value.isNull || $0.value.object != nil) && $0.name.utf8.count <= 64 })
        else { throw .invalidRequest("The member \(name) of the parameter claims is malformed.") }
        return object
    }

    private static func names(_ members: JSON.Object) -> [String] { members.map(\.name.asString) }
}

extension AuthorizationRequest.SecondFactor {
    /// - Parameters:
    ///   - values: the parameter `acr_values`: those that the relying party would like.
    ///   - claim: the claim `acr` of the ID token, in the parameter `claims`. When it is essential, the request fails without one of its values.
    static func reading(_ values: UTF8Text?, _ claim: JSON?) throws(Failure) -> Self? {
        let named = claim?["values"]?.array?.compactMap(\.string) ?? [claim?["value"]?.string].compactMap { $0 }
        if claim?["essential"]?.bool == true, !named.isEmpty {
            guard named.contains(where: isMultiFactor) else { throw .unmetAuthenticationRequirements }
            return .required
        }
        let asked = named + (values?.split { $0 == 0x20 } ?? [])
        return asked.contains(where: isMultiFactor) ? .wanted : nil
    }

    private static func isMultiFactor(_ value: UTF8Text) -> Bool { value == ProjectSettings.OpenIDProvider.multiFactor }
}
