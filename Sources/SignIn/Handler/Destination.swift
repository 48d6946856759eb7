import HTTP
import Text
import Web

/// A page of the handler is a page of its own, and the iframe's is a frame: where the browser says what it asks for, anything else is refused.
/// <https://www.w3.org/TR/fetch-metadata/#sec-fetch-dest-header>
enum Destination: String {
    case document, iframe

    func check(_ request: Request) throws(Failure) {
        guard let destination = request.headers["sec-fetch-dest"], destination != rawValue else { return }
        throw Failure("INVALID_ARGUMENT", "This address is not to be opened in this way.")
    }
}
