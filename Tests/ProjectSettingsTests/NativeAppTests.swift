import Testing

@testable import ProjectSettings

@Suite struct NativeAppTests {
    @Test(arguments: [
        ("com.example", true), ("com.Example.app_1", true), ("com", false), ("com.1a", false), ("com..a", false), ("com.a-b", false),
        ("com.a;b", false), ("_a.b", false), ("com.é", false), ("", false), (".a.b", false), ("a.b.", false),
    ])
    func `knows package names`(name: String, isPackage: Bool) { #expect(NativeApp.Android.isPackage(name) == isPackage) }

    @Test func `makes the schemes that the iOS SDK makes`() {
        #expect(NativeApp.IOS.scheme(clientID: "1-a.apps.googleusercontent.com") == "com.googleusercontent.apps.1-a")
        #expect(NativeApp.IOS.scheme(appID: "1:123:ios:abc") == "app-1-123-ios-abc")
    }

    @Test(arguments: [
        ("com.example", true), ("app-1-2-ios-a", true), ("a+b", true), ("Com.example", false), ("com_example", false), ("1a", false),
        ("", false),
        ("a:b", false), ("a/b", false),
    ])
    func `knows schemes that reach an app unchanged`(scheme: String, fits: Bool) { #expect(NativeApp.IOS.isScheme(scheme) == fits) }

    @Test func `reads fingerprints with colons or without`() {
        let plain = String(repeating: "ab", count: 20)
        #expect(NativeApp.Android.certificate(plain) == plain)
        #expect(NativeApp.Android.certificate((0..<20).map { _ in "AB" }.joined(separator: ":")) == plain)
        for bad in ["", "ab", plain + "ab", String(repeating: "zz", count: 20)] { #expect(NativeApp.Android.certificate(bad) == nil) }
    }
}
