/// The reason why one account of an import is not stored. The other accounts are.
package struct ImportFault: Error, Sendable, Equatable {
    /// As `ImportedAccount.place`.
    package var place: Int
    /// The account's id, as far as the source has one.
    package var accountID: String?
    package let code: Code
    /// A sentence for the operator, with a remedy where there is one. No secret, and no part of a password hash.
    package let message: String

    package enum Code: String, Sendable, CaseIterable {
        /// The row is not what the format says: no JSON, other columns, a value of another type.
        case malformed = "MALFORMED_ROW"
        case invalidID = "INVALID_UID"
        case invalidEmail = "INVALID_EMAIL"
        case invalidPhoneNumber = "INVALID_PHONE_NUMBER"
        case invalidProfile = "INVALID_PROFILE"
        case invalidClaims = "INVALID_CLAIMS"
        case invalidTime = "INVALID_TIME"
        case invalidIdentity = "INVALID_IDENTITY"
        case invalidSecondFactor = "INVALID_SECOND_FACTOR"
        case invalidPasskey = "INVALID_PASSKEY"
        /// The hash cannot be read, or its parameters are missing or cost too much.
        case invalidHash = "INVALID_PASSWORD_HASH"
        /// No password, no link, no identity: nobody could sign in to it, and the operator asked to leave such accounts out.
        case noCredential = "NO_CREDENTIAL"
        case duplicateID = "DUPLICATE_UID"
        case duplicateEmail = "DUPLICATE_EMAIL"
        case duplicatePhoneNumber = "DUPLICATE_PHONE_NUMBER"
        case duplicateIdentity = "DUPLICATE_IDENTITY"
    }

    /// Does `work`; a fault of it names this account and place.
    package static func naming<Result>(
        _ accountID: String?, at place: Int, _ work: () throws(ImportFault) -> Result
    ) throws(ImportFault) -> Result {
        do { return try work() } catch {
            var fault = error
            (fault.accountID, fault.place) = (accountID, place)
            throw fault
        }
    }

    package init(_ code: Code, _ message: String, accountID: String? = nil, place: Int = 0) {
        self.code = code
        self.message = message
        self.accountID = accountID
        self.place = place
    }
}
