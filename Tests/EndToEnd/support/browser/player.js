// An app's page that plays the Firebase SDK's side of a sign-in: the parent's half of the gapi.iframes protocol, pop-ups, redirects,
// redemption.
// It shares no code with the scripts it tests. `window.client` is what tests call; sdk.js offers the same with a real SDK.
(() => {
  "use strict";

  const closedPoll = 2_000;    // milliseconds, as the SDK has them

  // The messages between the page and the frame, as [direction, text].
  window.transcript = [];

  /** The parent's half. A page with gapi.js uses that instead, as the SDK does. */
  function openFrame(url, onEvent) {
    if (window.gapi?.iframes?.Iframe) return openByGapi(url, onEvent);
    const origin = new URL(url).origin;
    const id = "I0_" + Date.now();
    const token = String(Math.floor(Math.random() * 1e8));
    const element = document.createElement("iframe");
    const answers = {};
    const queue = [];
    let calls = 2;
    let listening = false;

    function post(message) {
      if (!listening) return queue.push(message);
      const text = "!_" + JSON.stringify(message);
      transcript.push(["parent->child", text]);
      element.contentWindow.postMessage(text, origin);
    }

    const wire = (service, callback, args) => post({ s: service, f: "..", r: "..", t: token, c: callback, a: args, g: false });

    const send = (name, value) => new Promise((resolve) => {
      answers[++calls] = resolve;
      wire(`:/${id}:${name}`, calls, [value]);
    });

    window.addEventListener("message", (message) => {
      if (message.source !== element.contentWindow) return;
      if (message.origin !== origin) throw new Error("a message of another origin: " + message.origin);
      transcript.push(["child->parent", message.data]);
      const content = JSON.parse(message.data.slice(2));
      if (content.h || content.s === `/${id}::_g_rpcReady`) {
        listening = true;
        for (const waiting of queue.splice(0)) post(waiting);
      } else if (content.t !== token || content.f !== id || content.r !== id || content.g !== false) {
        throw new Error("a message that the parent would drop: " + message.data);
      } else if (content.s === "__cb") {
        answers[content.a[0]](content.a[1]);
      } else if (content.s === `/${id}::authEvent`) {
        const used = onEvent(content.a[0].authEvent);
        if (content.c !== null) wire("__cb", null, [content.c, [{ status: used ? "ACK" : "ERROR" }]]);
      } else {
        throw new Error("an unknown service: " + content.s);
      }
    });

    const more = new URLSearchParams({ id, _gfid: id, parent: location.origin, pfname: "", rpctoken: token, ...window.frameExtra });
    element.src = `${url}&usegapi=1#${more}`;
    element.name = element.id = id;
    element.hidden = true;
    document.body.append(element);
    const ping = () => send("_g_ping", null);
    const restyle = () => send("_g_restyle", { setHideOnLeave: false });
    return { send, ping, restyle, post: (text) => element.contentWindow.postMessage(text, origin), element, id, token };
  }

  function openByGapi(url, onEvent) {
    let frame;
    const opening = gapi.iframes.getContext().open({ where: document.body, url, attributes: { style: { position: "absolute" } } }, (opened) => {
      frame = opened;
      frame.register("authEvent", ({ authEvent }) => ({ status: onEvent(authEvent) ? "ACK" : "ERROR" }));
      return new Promise(() => {});   // the SDK's settles once the frame has answered it
    });
    return { send: (name, value) => frame.send(name, value), ping: () => frame.ping(), restyle: () => frame.restyle({}), opening };
  }

  const failure = (code, answer) => Object.assign(new Error(code), { code: "auth/" + code, answer });
  const digits = () => Array.from({ length: 10 }, () => Math.floor(Math.random() * 10)).join("");

  class Player {
    /** `pages` and `api` are addresses: of handler and iframe, and of the REST calls. */
    constructor({ apiKey, appName, pages, api, emulator }) {
      Object.assign(this, { apiKey, appName, pages, api, emulator });
      this.seen = new Set();
      this.events = [];
      this.consumer = null;
    }

    key(name) { return `player:${name}:${this.apiKey}:${this.appName}`; }
    get user() { return JSON.parse(sessionStorage.getItem(this.key("user"))); }
    set user(user) { sessionStorage.setItem(this.key("user"), JSON.stringify(user)); }

    async call(method, body) {
      const answer = await fetch(`${this.api}/accounts:${method}?key=${this.apiKey}`, {
        method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
      });
      const content = await answer.json();
      if (answer.ok && !content.errorMessage) return content;
      const code = (content.errorMessage ?? content.error.message).split(/ ?: /)[0];
      throw failure({ EMAIL_NOT_FOUND: "user-not-found", INVALID_IDP_RESPONSE: "invalid-credential",
        FEDERATED_USER_ID_ALREADY_LINKED: "credential-already-in-use" }[code] ?? code.toLowerCase().replaceAll("_", "-"), content);
    }

    /** Opens the frame once and waits until it answers. */
    frame() {
      this.opening ??= (async () => {
        const url = `${this.pages}/iframe?${new URLSearchParams({ apiKey: this.apiKey, appName: this.appName, v: "12.18.0" })}`;
        const frame = openFrame(url, (event) => this.hear(event));
        const slow = new Promise((_, refuse) => setTimeout(refuse, window.frameLimit ?? 5_000, failure("network-request-failed")));
        const failed = Promise.race([slow, frame.opening ?? slow]);
        await Promise.race([frame.restyle(), failed]);
        await Promise.race([frame.ping(), failed]);
        return frame;
      })();
      return this.opening;
    }

    hear(event) {
      this.events.push(event);
      const id = [event.type, event.eventId, event.sessionId, event.tenantId].filter(Boolean).join("-");
      if (this.seen.has(id)) return false;
      this.first ??= event;
      const used = this.consumer?.(event) ?? event === this.first;
      if (used) this.seen.add(id);
      return used;
    }

    /** The SDK's own check of the page's host, which it leaves out in emulator mode. */
    async validateOrigin() {
      if (this.emulator) return;
      const { authorizedDomains } = await (await fetch(`${this.api}/projects?key=${this.apiKey}`)).json();
      const known = authorizedDomains.some((domain) => location.hostname === domain || location.hostname.endsWith("." + domain));
      if (!known) throw failure("unauthorized-domain");
    }

    handler(authType, { providerId, parameters, scopes }, eventId) {
      const query = { apiKey: this.apiKey, appName: this.appName, authType, redirectUrl: location.href, v: "12.18.0", providerId };
      if (eventId) query.eventId = eventId;
      if (parameters) query.customParameters = JSON.stringify(parameters);
      if (scopes) query.scopes = scopes.join(",");
      // An SDK with App Check has its token there; only this server may see it.
      return `${this.pages}/handler?${new URLSearchParams(query)}#fac=app-check-token`;
    }

    async popup(action, options) {
      const type = action + "ViaPopup";
      const frame = await this.frame();
      const eventId = digits();
      const opened = window.open(this.handler(type, options, eventId), digits(), "width=500,height=600");
      try {
        const event = await new Promise((resolve, refuse) => {
          this.consumer = (event) => event.type === type && event.eventId === eventId && (resolve(event), true);
          this.validateOrigin().catch(refuse);
          frame.send("webStorageSupport", { type: "webStorageSupport" }).then(([answer]) => {
            if (answer.webStorageSupport !== true) refuse(failure("web-storage-unsupported"));
          });
          (function watch() {
            if (opened.closed) setTimeout(refuse, window.closedGrace ?? 8_000, failure("popup-closed-by-user"));
            else setTimeout(watch, closedPoll);
          })();
        });
        return await this.finish(action, event);
      } finally {
        opened.close();
        this.consumer = null;
      }
    }

    redirect(action, options) {
      sessionStorage.setItem(this.key("pending"), action);
      const type = action + "ViaRedirect";
      location.href = this.handler(type, options, action === "signIn" ? null : `${this.user.localId}:::${digits()}`);
      return new Promise(() => {});
    }

    /** After a redirect: the frame's first event, redeemed; null when nothing is pending. */
    async result() {
      const action = sessionStorage.getItem(this.key("pending"));
      sessionStorage.removeItem(this.key("pending"));
      if (!action) return null;
      const arrived = new Promise((resolve) => { this.consumer = (event) => (resolve(event), true); });
      await this.frame();
      const event = await arrived;
      if (event.error?.code === "auth/no-auth-event") return null;
      if (event.type !== action + "ViaRedirect") throw new Error("an event of another kind: " + event.type);
      if (action !== "signIn" && event.eventId.split(":::")[0] !== this.user.localId) throw new Error("another user's event");
      return this.finish(action, event);
    }

    async finish(action, event) {
      if (event.error) throw failure(event.error.code.split("auth/")[1], event);
      const answer = await this.call("signInWithIdp", {
        requestUri: event.urlResponse, sessionId: event.sessionId, postBody: event.postBody, tenantId: event.tenantId,
        returnSecureToken: true, returnIdpCredential: true, ...(action === "link" ? { idToken: this.user.idToken } : {}),
      }).catch((error) => {
        throw action === "reauth" && error.code === "auth/user-not-found" ? failure("user-mismatch") : error;
      });
      // Kept for `linkPending`: first, the person signs in in the way that the account already has.
      if (answer.needConfirmation) {
        this.pending = answer.pendingToken;
        throw failure("account-exists-with-different-credential", answer);
      }
      if (action === "reauth" && answer.localId !== this.user.localId) throw failure("user-mismatch");
      return this.signedIn(action, answer);
    }

    signedIn(action, answer) {
      this.user = { localId: answer.localId, idToken: answer.idToken };
      const { localId: uid, email = null, providerId: provider, isNewUser: isNew = false } = answer;
      return { operation: action, uid, email, provider, isNew };
    }

    async guest() {
      return this.signedIn("signIn", await this.call("signUp", { returnSecureToken: true })).uid;
    }

    async password({ email, password, isNew }) {
      const answer = await this.call(isNew ? "signUp" : "signInWithPassword", { email, password, returnSecureToken: true });
      return this.signedIn("signIn", answer).uid;
    }

    /** Exchanges a provider's answer that the server kept. */
    async linkPending() {
      const answer = await this.call("signInWithIdp", {
        requestUri: "http://localhost", pendingToken: this.pending, idToken: this.user.idToken, returnSecureToken: true,
      });
      return this.signedIn("link", answer);
    }

    async unlink(providerId) {
      const answer = await this.call("update", { idToken: this.user.idToken, deleteProvider: [providerId], returnSecureToken: true });
      if ((answer.providerUserInfo ?? []).some((info) => info.providerId === providerId)) throw failure("internal-error", answer);
      return answer.localId;
    }

    async signOut() { this.user = null; }

    async providers() {
      const { users: [user] } = await this.call("lookup", { idToken: this.user.idToken });
      return (user.providerUserInfo ?? []).map((info) => info.providerId).sort();
    }
  }

  window.makeClient = (settings) => new Player({
    ...settings,
    pages: settings.emulator ? `${settings.emulator}/emulator/auth` : `https://${settings.authDomain}/__/auth`,
    api: settings.emulator ? `${settings.emulator}/identitytoolkit.googleapis.com/v1` : `https://${settings.apiHost}/v1`,
  });

  // What an app's page imports from the SDK, as far as the README's lines do; and what the SDK refuses to work without.
  window.firebase = {
    initializeApp: (settings, appName = "[DEFAULT]") => ({ ...settings, appName }),
    getAuth: (app) => ({ ...app }),
    connectAuthEmulator: (auth, emulator) => { auth.emulator = emulator; },
  };
  window.clientOf = (auth) => {
    if (!auth.authDomain) throw failure("auth-domain-config-required");
    if (!window.gapi?.iframes) throw failure("internal-error");
    return makeClient(auth);
  };
})();
