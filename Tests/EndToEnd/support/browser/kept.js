// What an SDK does to keep a person signed in, for runs without one: what it stores, and what it asks at its start and at a refresh.
// `window.firebase` has those names of the SDK that calls.js and the tests of it use.
"use strict";
window.firebase = (() => {
  const left = 30_000;    // milliseconds; with less of an ID token left, the SDK renews it

  async function ask(url, body) {
    const form = body instanceof URLSearchParams;
    const type = form ? "application/x-www-form-urlencoded" : "application/json";
    const headers = { "content-type": type, "x-client-version": "Chrome/JsCore/12.18.0/FirebaseCore-web" };
    const answer = await fetch(url, { method: "POST", headers, body: form ? body : JSON.stringify(body) });
    const content = await answer.json();
    if (answer.ok) return content;
    throw Object.assign(new Error(content.error.message), { code: "auth/" + content.error.message.toLowerCase().replaceAll("_", "-") });
  }

  class Auth {
    constructor({ apiKey, name }) {
      this.apiKey = apiKey;
      this.place = `firebase:authUser:${apiKey}:${name}`;
      this.config = { apiHost: "identitytoolkit.googleapis.com", tokenApiHost: "securetoken.googleapis.com" };
      this.currentUser = null;
    }

    address(host, path) {
      const { emulator, [host]: own } = this.config;
      const google = host === "apiHost" ? "identitytoolkit.googleapis.com" : "securetoken.googleapis.com";
      return `${emulator ? `${emulator}/${google}` : `https://${own}`}/v1/${path}?key=${this.apiKey}`;
    }

    /** Once the stored user is there again, or is forgotten since the server refuses it. */
    authStateReady() {
      return this.ready ??= (async () => {
        const stored = JSON.parse(localStorage.getItem(this.place));
        if (!stored) return;
        this.currentUser = new User(this, stored);
        await this.currentUser.reload().catch((error) => {
          if (!error.code) return;    // the network failed, or its answer is not JSON: that signs nobody out
          this.currentUser = null;
          localStorage.removeItem(this.place);
        });
      })();
    }
  }

  class User {
    constructor(auth, stored) { Object.assign(this, { auth, ...stored }); }

    take(idToken, refreshToken, expiresIn) {
      Object.assign(this, { idToken, refreshToken, expirationTime: Date.now() + 1000 * expiresIn });
      const { uid, expirationTime } = this;
      localStorage.setItem(this.auth.place, JSON.stringify({ uid, idToken, refreshToken, expirationTime }));
      return this;
    }

    async getIdToken(forced = false) {
      if (forced || Date.now() > this.expirationTime - left) {
        const form = new URLSearchParams({ grant_type: "refresh_token", refresh_token: this.refreshToken });
        const answer = await ask(this.auth.address("tokenApiHost", "token"), form);
        this.take(answer.access_token, answer.refresh_token, answer.expires_in);
      }
      return this.idToken;
    }

    async reload() {
      const answer = await ask(this.auth.address("apiHost", "accounts:lookup"), { idToken: await this.getIdToken() });
      const [{ localId: uid, email }] = answer.users;
      Object.assign(this, { uid, email });
    }
  }

  return {
    initializeApp: (settings, name) => ({ ...settings, name }),
    initializeAuth: (app) => new Auth(app),
    connectAuthEmulator: (auth, emulator) => { auth.config.emulator = emulator; },
    signInWithEmailAndPassword: async (auth, email, password) => {
      const answer = await ask(auth.address("apiHost", "accounts:signInWithPassword"), { email, password, returnSecureToken: true });
      auth.currentUser = new User(auth, { uid: answer.localId }).take(answer.idToken, answer.refreshToken, answer.expiresIn);
      await auth.currentUser.reload();
    },
  };
})();
