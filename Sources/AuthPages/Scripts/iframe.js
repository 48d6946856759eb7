/*
 * The hidden frame that a Firebase web SDK keeps in the app's page: it brings results of sign-ins to the SDK.
 *
 * The other sides that it talks to:
 *   the app's page (window.parent)   strings of the gapi.iframes protocol; only from and to the origin that the fragment names
 *   the sign-in window (handler.js)  messages of our own origin, answered on the port that came with them
 *   the server                       `pending` (a result kept behind a cookie), `relay` (a result kept behind a secret)
 *
 * The server decides which pages may frame this one (frame-ancestors). A page that names another origin than its own in the fragment gets
 * nothing: messages are sent only to the named origin, and messages from other origins are ignored. Every result names the origin that it
 * is for, and goes to no other, since two apps may share a project and an app name.
 *
 * #data holds storageKey ("<api key>:<app name>"), the addresses `pending` and `relay` (each may be null), and transport ("builtin" or
 * "google").
 */
(() => {
  "use strict";

  const { storageKey, pending, relay, transport } = JSON.parse(document.getElementById("data").textContent);
  const slot = "gatehouse:" + storageKey;   // written by handler.js
  const requestLimit = 10_000;              // milliseconds
  const lookEvery = 500;                    // whether the sign-in window is closed
  const lookLimit = 600_000;                // as long as a sign-in may take
  const pauses = [500, 1_000, 1_000, 1_500, 2_000, 2_000, 3_000, 4_000, 5_000];   // before each question to the server: as long as SDKs wait

  const nothing = {
    type: "unknown", eventId: null, urlResponse: null, sessionId: null, postBody: null, tenantId: null,
    error: { code: "auth/no-auth-event", message: "No sign-in is waiting." },
  };

  const fragment = new URLSearchParams(location.hash.slice(1));
  const name = fragment.get("_gfid") || fragment.get("id") || "";
  const parentName = fragment.get("pfname") || "";
  const token = fragment.get("rpctoken") || "";
  const parentOrigin = originOf(fragment.get("parent"));
  if (window.parent === window || !parentOrigin || !token || !/^[\w.-]+$/.test(name)) return;

  function originOf(url) {
    try {
      const { origin } = new URL(url);
      return origin === "null" ? null : origin;
    } catch {
      return null;
    }
  }

  // ## The app's page.

  /**
   * The child's half of the gapi.iframes protocol. A message is "!_" and JSON: s the service, f and r the sender, t the parent's token,
   * c a number to answer to or null, a the arguments. A service is "<sender>:<receiver>:<message>", where a name is <path>/<frame>.
   */
  function speakOurselves() {
    const ownName = parentName + "/" + name;
    const toParent = ownName + ":" + parentName + ":";
    const fromParent = parentName + ":" + ownName + ":";
    const answers = new Map();
    let lastCall = 0;

    function post(service, callback, args) {
      const message = { s: service, f: name, r: name, t: token, c: callback, a: args, g: false };
      window.parent.postMessage("!_" + JSON.stringify(message), parentOrigin);
    }

    function hear(text) {
      if (typeof text !== "string" || !text.startsWith("!_")) return;
      let message;
      try { message = JSON.parse(text.slice(2)); } catch { return; }
      if (message?.t !== token || typeof message.s !== "string" || !Array.isArray(message.a)) return;
      if (message.s === "__cb") {
        const [call, value] = message.a;
        answers.get(call)?.(value);
        answers.delete(call);
        return;
      }
      if (!message.s.startsWith(fromParent)) return;
      const reply = value => { if (message.c != null) post("__cb", null, [message.c, [value]]); };
      switch (message.s.slice(fromParent.length)) {
        case "_g_rpcReady": return reply(null);
        case "_g_restyle": return reply(true);   // nothing to restyle, but the SDK waits for the answer
        case "_g_ping": return reply(message.a[0]);
        case "webStorageSupport": return reply({ status: "ACK", webStorageSupport: true });
      }
    }

    window.addEventListener("message", ({ source, origin, data }) => {
      if (source === window.parent && origin === parentOrigin) hear(data);
    });
    window.parent.postMessage("!_" + JSON.stringify({ h: name }), parentOrigin);
    post(toParent + "_g_rpcReady", null, [null]);

    return event => new Promise(resolve => {
      const call = ++lastCall;
      answers.set(call, resolve);
      post(toParent + "authEvent", call, [{ type: "authEvent", authEvent: event }]);
    });
  }

  /** The same through Google's script, in case Google changes its half of the protocol. */
  async function speakByGoogle() {
    await new Promise((resolve, refuse) => {
      const script = document.createElement("script");
      script.src = "https://apis.google.com/js/api.js";
      script.onload = () => gapi.load("gapi.iframes", resolve);
      script.onerror = refuse;
      document.head.append(script);
    });
    const parent = gapi.iframes.getContext().getParentIframe();
    const filter = gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER;
    parent.register("webStorageSupport", () => ({ status: "ACK", webStorageSupport: true }), filter);
    return event => new Promise(resolve => parent.send("authEvent", { type: "authEvent", authEvent: event }, resolve, filter));
  }

  /**
   * Any page that may frame this one can name any origin in the fragment. The first message from that origin shows that it is true; every
   * SDK sends one as soon as it hears that this frame listens. Until then no result is fetched, since it could not be handed on and would
   * be lost.
   */
  const met = new Promise(resolve => window.addEventListener("message", ({ source, origin, data }) => {
    if (source === window.parent && origin === parentOrigin && typeof data === "string" && data.includes(token)) resolve();
  }));

  const speak = Promise.resolve(transport === "google" ? speakByGoogle() : speakOurselves());

  const told = new Map();   // event → promise of whether the SDK had use for it

  /** Brings an event to the SDK, only once even if it arrives in several ways. Returns whether the SDK accepted the event. */
  function tell(event) {
    const key = JSON.stringify([event.type, event.eventId, event.sessionId]);
    if (!told.has(key)) {
      told.set(key, speak.then(send => send(event)).then(outcomes =>
        Array.isArray(outcomes) && outcomes.some(outcome => outcome?.status === "ACK")));
    }
    return told.get(key);
  }

  // ## The sign-in window: it brings the result or, before it leaves for the provider, a secret to ask the server with.

  let secretAsked = null;

  const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));

  window.addEventListener("message", async ({ source, origin, data, ports: [port] }) => {
    if (source === window.parent || origin !== location.origin || !port) return;
    let taken = data?.storageKey === storageKey && data.origin === parentOrigin;
    if (taken && data.event) {
      secretAsked = null;
      taken = await tell(data.event);
    } else if (taken && data.secret) {
      askOnceClosed(source, data.secret);
    }
    port.postMessage(taken ? "taken" : "refused");
  });

  /**
   * A window may lose its opener on the way (Cross-Origin-Opener-Policy); then its result comes through the server. Such a window looks
   * closed from here, like a window that the person closed. The SDK gives up a closed window after ten seconds (twenty on phones), and so
   * does this function.
   */
  async function askOnceClosed(sender, secret) {
    if (!relay) return;
    secretAsked = secret;
    for (let waited = 0; !sender.closed; waited += lookEvery) {
      await pause(lookEvery);
      if (secretAsked !== secret || waited > lookLimit) return;   // the result came, or another sign-in has begun
    }
    for (const length of pauses) {
      await pause(length);
      if (secretAsked !== secret) return;
      const { event, over } = await ask(relay, { relay: secret }, "omit");
      if (secretAsked !== secret || over) return;
      if (event) return tell(event);
    }
  }

  // ## The server, and what handler.js left in this tab.

  /** The result for this page, if the server has it; `over` when no result can come any more. Never fails. Without an address, `over`. */
  async function ask(address, body, credentials) {
    if (!address) return { over: true };
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), requestLimit);
    try {
      const headers = { "content-type": "application/json" };
      const answer = await fetch(address, { method: "POST", credentials, headers, body: JSON.stringify(body), signal: limit.signal });
      if (!answer.ok) return { over: answer.status < 500 };
      const { event, origin } = await answer.json();
      return { event: origin === parentOrigin ? event : null };
    } catch {
      return {};
    } finally {
      clearTimeout(timer);
    }
  }

  /** With `flow`, only the result of that sign-in. The server gives no address when this frame's own request had no cookie. */
  const askByCookie = flow => ask(pending, { storageKey, origin: parentOrigin, flow }, "include");

  /** The result that handler.js left in this tab. Where browsers keep the storage of frames apart, this finds nothing. */
  function leftInTab() {
    try {
      const left = JSON.parse(sessionStorage.getItem(slot));
      if (left.origin !== parentOrigin) return null;
      sessionStorage.removeItem(slot);
      return Date.now() < left.until ? left : null;
    } catch {
      return null;
    }
  }

  /** Gives exactly one event in every case: after a redirect, the SDK waits for it without a time limit. */
  async function firstEvent() {
    const left = leftInTab();
    if (left) {
      // The server keeps the same result, too; fetching it removes it there. The result of another tab must stay.
      if (left.flow) askByCookie(left.flow);
      return left.event;
    }
    const secret = fragment.get("rt");   // by gapi.js, for apps of another site
    const traded = secret && relay ? (await ask(relay, { relay: secret }, "omit")).event : null;
    return traded || (await askByCookie()).event || nothing;
  }

  met.then(firstEvent).then(tell);
})();
