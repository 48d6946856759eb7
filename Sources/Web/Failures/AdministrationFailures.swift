/// The errors of administrators' calls.
extension Failure {
    package static let missingLocalID = Failure("MISSING_LOCAL_ID")
    package static let invalidPageToken = Failure("INVALID_PAGE_SELECTION")
    package static let missingUserAccount = Failure("MISSING_USER_ACCOUNT")
    package static let tooManyLocalIDs = Failure("LOCAL_ID_LIST_EXCEEDS_LIMIT")
    package static let notDisabled = Failure("NOT_DISABLED", "Disable the account before batch deletion.")
}
