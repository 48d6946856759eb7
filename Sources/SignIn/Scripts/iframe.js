/*
 * The hidden frame that a Firebase web SDK keeps in the app's page: it brings results of sign-ins to the SDK.
 *
 * Who talks to whom
 *   the app's page (window.parent)   strings of the gapi.iframes protocol; only from and to the origin that the fragment names
 *   the sign-in window (handler.js)  messages of our own origin, answered on the port that came with them
 *   the server                       `pending` (results kept behind a cookie), `relay` (results kept behind a secret)
 *
 * What the page may be framed by is the server's decision (Content-Security-Policy: frame-ancestors). A framing page that names another
 * origin than its own in the fragment gets nothing: every message is addressed to the named one, and only the named one is heard.
 *
 * The server writes into the page, as JSON in #data:
 *   storageKey  "<api key>:<app name>": which app of this origin's projects the frame stands for
 *   pending     where to ask for a result that came back by redirect
 *   relay       where to ask for a result by secret, or null when the server does not offer that
 */
(() => {
  'use strict';

  const {storageKey, pending, relay} = JSON.parse(document.getElementById('data').textContent);
  const slot = 'gatehouse:' + storageKey;   // written by handler.js
  const requestLimit = 10_000;              // milliseconds
  const pollEvery = 1_000;
  const pollLimit = 600_000;                // as long as a sign-in may take

  const nothing = {
    type: 'unknown', eventId: null, urlResponse: null, sessionId: null, postBody: null, tenantId: null,
    error: {code: 'auth/no-auth-event', message: 'No sign-in is waiting.'},
  };

  // ---------------------------------------------------------------------------------------------------------------------------------
  // The app's page: the child's half of the gapi.iframes protocol.
  //
  // A message is "!_" and JSON: s the service, f and r the sender, t the parent's token, c a number to answer to or null, a the arguments.
  // Names are <path>/<frame name>; a service is "<receiver>:<sender>:<message>", as each side writes it.

  const fragment = new URLSearchParams(location.hash.slice(1));
  const name = fragment.get('_gfid') || fragment.get('id') || '';
  const parentName = fragment.get('pfname') || '';
  const token = fragment.get('rpctoken') || '';
  const parentOrigin = originOf(fragment.get('parent'));
  if (window.parent === window || !parentOrigin || !token || !/^[\w.-]+$/.test(name)) return;

  const ownName = parentName + '/' + name;
  const toParent = ownName + ':' + parentName + ':';
  const fromParent = parentName + ':' + ownName + ':';
  const answers = new Map();
  let lastCall = 0;

  function originOf(url) {
    try {
      const {origin} = new URL(url);
      return origin === 'null' ? null : origin;
    } catch {
      return null;
    }
  }

  function post(service, callback, args) {
    const message = {s: service, f: name, r: name, t: token, c: callback, a: args, g: false};
    window.parent.postMessage('!_' + JSON.stringify(message), parentOrigin);
  }

  /** Brings an event to the SDK; says whether the SDK had use for it. */
  function tell(event) {
    return new Promise(resolve => {
      const call = ++lastCall;
      answers.set(call, outcomes => resolve(Array.isArray(outcomes) && outcomes.some(outcome => outcome?.status === 'ACK')));
      post(toParent + 'authEvent', call, [{type: 'authEvent', authEvent: event}]);
    });
  }

  function hearParent(text) {
    if (typeof text !== 'string' || !text.startsWith('!_')) return;
    let message;
    try { message = JSON.parse(text.slice(2)); } catch { return; }
    if (message?.t !== token || typeof message.s !== 'string' || !Array.isArray(message.a)) return;
    if (message.s === '__cb') {
      const [call, value] = message.a;
      answers.get(call)?.(value);
      answers.delete(call);
      return;
    }
    if (!message.s.startsWith(fromParent)) return;
    const reply = value => { if (message.c !== null) post('__cb', null, [message.c, [value]]); };
    switch (message.s.slice(fromParent.length)) {
      case '_g_rpcReady': return reply(null);
      case '_g_restyle': return reply(true);   // nothing to restyle, but the SDK waits for the answer
      case '_g_ping': return reply(message.a[0]);
      case 'webStorageSupport': return reply({status: 'ACK', webStorageSupport: true});
    }
  }

  // ---------------------------------------------------------------------------------------------------------------------------------
  // The sign-in window.

  /** Only for the app that started the sign-in: two apps may share a project and an app name, but not an origin. */
  function hearWindow(message, port) {
    if (message?.storageKey !== storageKey || message.origin !== parentOrigin || !port) {
      port?.postMessage('refused');
      return;
    }
    if (message.secret) poll(message.secret);
    if (!message.event) return port.postMessage('taken');
    secretAsked = null;
    tell(message.event).then(used => port.postMessage(used ? 'taken' : 'refused'));
  }

  window.addEventListener('message', ({source, origin, data, ports}) => {
    if (source === window.parent && origin === parentOrigin) hearParent(data);
    else if (origin === location.origin) hearWindow(data, ports[0]);
  });

  // ---------------------------------------------------------------------------------------------------------------------------------
  // The server.

  async function ask(address, body, credentials) {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), requestLimit);
    try {
      const answer = await fetch(address, {
        method: 'POST', credentials, headers: {'content-type': 'application/json'}, body: JSON.stringify(body), signal: limit.signal,
      });
      return {known: answer.ok, event: answer.ok ? (await answer.json()).event : null};
    } finally {
      clearTimeout(timer);
    }
  }

  /** A sign-in window may lose its opener on the way (Cross-Origin-Opener-Policy): then its result comes this way. */
  let secretAsked = null;

  async function poll(secret) {
    if (!relay) return;
    secretAsked = secret;
    const end = Date.now() + pollLimit;
    while (Date.now() < end) {
      await new Promise(resolve => setTimeout(resolve, pollEvery));
      if (secretAsked !== secret) return;   // the result came, or another sign-in has begun
      const answer = await ask(relay, {relay: secret}, 'omit').catch(() => null);
      if (secretAsked !== secret) return;
      if (answer?.event) return tell(answer.event);
      if (answer && !answer.known) return;
    }
  }

  /** The result that handler.js left in this tab, if it is this app's and fresh; where browsers keep storage apart there is none. */
  function left() {
    try {
      const {origin, event, until} = JSON.parse(sessionStorage.getItem(slot));
      if (origin !== parentOrigin) return null;
      sessionStorage.removeItem(slot);
      return Date.now() < until ? event : null;
    } catch {
      return null;
    }
  }

  async function traded() {
    const secret = fragment.get('rt');   // by gapi.js, for apps of another site
    return secret && relay ? (await ask(relay, {relay: secret}, 'omit').catch(() => null))?.event : null;
  }

  async function kept() {
    return (await ask(pending, {storageKey, origin: parentOrigin}, 'include').catch(() => null))?.event;
  }

  /** Exactly one, whatever happens: after a redirect the SDK waits for it without a limit. */
  async function firstEvent() {
    const event = left();
    if (!event) return await traded() || await kept() || nothing;
    kept();   // the same result waits behind the cookie too; fetched, it is spent
    return event;
  }

  window.parent.postMessage('!_' + JSON.stringify({h: name}), parentOrigin);
  post(toParent + '_g_rpcReady', null, [null]);
  firstEvent().then(tell);
})();
