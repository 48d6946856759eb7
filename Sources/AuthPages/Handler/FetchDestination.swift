import HTTP
import Text
import Web

/// The handler's page must be opened as a page, and the iframe's as a frame. When the browser says otherwise, the request is refused.
/// <https://www.w3.org/TR/fetch-metadata/#sec-fetch-dest-header>
enum FetchDestination: String {
    case document, iframe

    func check(_ request: Request) throws(Failure) {
        guard let destination = request.headers["sec-fetch-dest"], destination != rawValue else { return }
        throw Failure.invalidAddress("This address cannot be opened in this way.")
    }
}
