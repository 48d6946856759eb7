import Accounts
import HTTP
import JSON
import Migration
import ProjectSettings
import Projects
import Runtime
import Text
import Web

/// `accounts:batchCreate`: stores up to a thousand accounts with the ids and the password hashes that another server made, for the Admin SDKs'
/// `importUsers`. An account of the same id is replaced; one that would take another account's address, number or identity is refused by itself.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/batchCreate>
struct ImportAccounts: AdministratorEndpoint {
    static let route = Route.administrator(
        .post, "/v1/projects/{project}/accounts:batchCreate", right: .manageUsers, v3: "uploadAccount")

    struct Input: Decodable {
        var users: [JSON]?
        var hashAlgorithm: JSON?
        var signerKey: JSON?
        var saltSeparator: JSON?
        var rounds: JSON?
        var memoryCost: JSON?
        var passwordHashOrder: JSON?
        var cpuMemCost: JSON?
        var parallelization: JSON?
        var blockSize: JSON?
        var dkLen: JSON?
        var argon2Parameters: JSON?
    }

    struct Output: Codable {
        /// The accounts that are not stored; absent when all are.
        var error: [Refused]?

        struct Refused: Codable {
            var index: Int
            var message: String
        }
    }

    private static let most = 1000

    func callAsFunction(_ input: Input, by administrator: Administrator, _ context: Context) async throws -> Output {
        guard let users = input.users, !users.isEmpty else { throw Failure.missingUserAccount }
        guard users.count <= Self.most else { throw Failure.invalidArgument("users has more than \(Self.most) elements.") }
        let hashes: HashParameters?
        do { hashes = try HashParameters(input.hashParameters) } catch { throw Failure.invalidArgument("\(error).") }
        let rules = ImportRules(now: context.services.clock.now())
        var reader = FirebaseUsers(.call, hashes: hashes)
        var (accounts, faults, losses): ([ImportedAccount], [ImportFault], SourceLosses) = ([], [], SourceLosses())
        for (index, user) in users.enumerated() {
            do throws(ImportFault) {
                guard let object = user.object else { throw ImportFault(.malformed, "it is not an object", place: index) }
                if let tenant = user["tenantId"] ?? user["tenant_id"], !tenant.isNull,
                    tenant.string != administrator.project.tenant.map({ UTF8Text($0.id) })
                {
                    throw ImportFault(.malformed, "its tenantId is not that of the call", place: index)
                }
                accounts.append(try rules.account(try reader.account(object, place: index), &losses))
            } catch { faults.append(error) }
        }
        let imports = context.services.accounts.administration.imports
        if let key = hashes?.key { try await imports.hashKeys.store(key, in: administrator.project) }
        faults += try await imports.store(accounts, .replace, by: administrator).faults
        let refused = faults.sorted { $0.place < $1.place }.map {
            Output.Refused(index: $0.place, message: "\($0.code.rawValue) : \($0.message)")
        }
        return Output(error: refused.isEmpty ? nil : refused)
    }
}

extension ImportAccounts.Input {
    /// The parameters of the hashes, as `HashParameters` reads them.
    fileprivate var hashParameters: JSON.Object {
        let members: [(UTF8Text, JSON?)] = [
            ("hashAlgorithm", hashAlgorithm), ("signerKey", signerKey), ("saltSeparator", saltSeparator), ("rounds", rounds),
            ("memoryCost", memoryCost), ("passwordHashOrder", passwordHashOrder), ("cpuMemCost", cpuMemCost),
            ("parallelization", parallelization), ("blockSize", blockSize), ("dkLen", dkLen), ("argon2Parameters", argon2Parameters),
        ]
        return JSON.Object(members.compactMap { name, value in value.map { (name, $0) } })
    }
}
