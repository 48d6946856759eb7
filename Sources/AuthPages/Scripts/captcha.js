/*
 * For the page of an app that asks for a code by text message: load this script before the Firebase SDK.
 *
 *   <script src="https://auth.example.com/__/auth/captcha.js?apiKey=…"></script>
 *
 * The SDK's RecaptchaVerifier draws its widget by `window.grecaptcha`, and loads Google's script when the page does not have that. This script
 * defines it over the captcha service of the project, whichever that is. The service's own script is loaded with the first widget.
 *
 * The server writes the settings in front of this script: {kind, siteKey, script}, or {kind: "none"}.
 */
(() => {
  "use strict";

  const settings = window.gatehouseCaptcha;
  delete window.gatehouseCaptcha;
  const action = "sendVerificationCode";
  const widgets = new Map();
  let count = 0;
  let loading;

  /** A callback of an app: a function, or the name of a global one. */
  const call = (callback, ...values) => (typeof callback === "string" ? window[callback] : callback)?.(...values);

  /** Adds the script of the service to the page; gives the object that it defines. */
  function load(name, query, ready) {
    loading ??= new Promise((resolve, reject) => {
      const shim = window.grecaptcha;
      // Google's scripts write into an object of this name, and leave a `ready` that is there. Until they are done, the page finds the rest of ours in it.
      const { ready: own, ...rest } = shim;
      if (name === "grecaptcha") window.grecaptcha = rest;
      const element = document.createElement("script");
      element.src = `${settings.script}?${query}`;
      element.onload = () =>
        ready(() => {
          resolve(window[name]);
          if (name === "grecaptcha") window.grecaptcha = shim;
        });
      element.onerror = () => reject(new Error(`The script of the captcha service cannot be loaded: ${settings.script}`));
      document.head.append(element);
    });
    return loading;
  }

  const soon = found => found();

  /** The interface of Google's widget, which others have, too. */
  const asGoogle = {
    draw: (api, holder, { parameters, isInvisible, ...events }) =>
      api.render(holder, {
        sitekey: settings.siteKey,
        theme: parameters.theme === "dark" ? "dark" : "light",
        size: isInvisible ? "invisible" : parameters.size === "compact" ? "compact" : "normal",
        callback: events.solved,
        "expired-callback": events.expired,
        "error-callback": events.failed,
      }),
    execute: (api, id) => api.execute(id),
    reset: (api, id) => api.reset(id),
  };

  /** A widget that shows nothing. */
  const alone = {
    execute: (api, widget) => widget.solve(),
    reset: (api, widget) => widget.isInvisible || widget.solve(),
  };

  /** How each service is loaded, drawn and asked. `draw` gives what the other two take. */
  const services = {
    turnstile: {
      load: () => load("turnstile", "render=explicit", soon),
      draw: (api, holder, { parameters, isInvisible, ...events }) =>
        api.render(holder, {
          sitekey: settings.siteKey,
          action,
          theme: parameters.theme === "dark" ? "dark" : "light",
          size: parameters.size === "compact" ? "compact" : "normal",
          execution: isInvisible ? "execute" : "render",
          appearance: isInvisible ? "interaction-only" : "always",
          callback: events.solved,
          "expired-callback": events.expired,
          "timeout-callback": events.expired,
          "error-callback": events.failed,
        }),
      execute: (api, id) => api.execute(id),
      reset: (api, id) => api.reset(id),
    },
    hcaptcha: { ...asGoogle, load: () => load("hcaptcha", "render=explicit&recaptchacompat=off", soon) },
    recaptcha: { ...asGoogle, load: () => load("grecaptcha", "render=explicit", found => window.grecaptcha.ready(found)) },
    // These two draw nothing. A visible widget of theirs is solved when it is drawn.
    recaptchaEnterprise: {
      load: () =>
        load("grecaptcha", `render=${settings.siteKey}`, found => window.grecaptcha.enterprise.ready(found)),
      draw: (api, holder, events) => {
        const solve = () => api.enterprise.execute(settings.siteKey, { action }).then(events.solved, events.failed);
        if (!events.isInvisible) solve();
        return { solve, isInvisible: events.isInvisible };
      },
      ...alone,
    },
    none: {
      load: async () => null,
      draw: (api, holder, events) => {
        const solve = () => events.solved(`none.${crypto.randomUUID()}`);
        if (!events.isInvisible) solve();
        return { solve, isInvisible: events.isInvisible };
      },
      ...alone,
    },
  };
  const service = services[settings.kind];

  /** The widget of this number; without one the first, as Google's script has it. */
  function widget(id) {
    const found = widgets.get(id ?? widgets.keys().next().value);
    if (!found) throw new Error("No captcha widget has this number.");
    return found;
  }

  /** The place of a widget. An invisible one may be bound to a button, which cannot have a widget in it. */
  function place(container, isInvisible) {
    const element = typeof container === "string" ? document.getElementById(container) : container;
    if (!element) throw new Error("The page does not have the element of the captcha widget.");
    if (!isInvisible) return { element, holder: element };
    const holder = document.createElement("div");
    if (element.parentNode) element.after(holder);
    else document.body.append(holder);
    return { element, holder };
  }

  window.grecaptcha = {
    ready: callback => void Promise.resolve().then(callback),

    render(container, parameters = {}) {
      const isInvisible = parameters.size === "invisible";
      const { element, holder } = place(container, isInvisible);
      const id = ++count;
      const events = {
        parameters,
        isInvisible,
        solved: token => {
          drawn.response = token;
          call(parameters.callback, token);
        },
        expired: () => {
          drawn.response = "";
          call(parameters["expired-callback"]);
        },
        failed: reason => {
          drawn.response = "";
          console.error("The captcha failed.", reason ?? "");
          call(parameters["error-callback"]);
        },
      };
      const drawn = { response: "" };
      drawn.made = service.load().then(api => ({ api, inner: service.draw(api, holder, events) }));
      drawn.made.catch(events.failed);
      if (isInvisible && element.matches("button, input, a")) element.addEventListener("click", () => window.grecaptcha.execute(id));
      widgets.set(id, drawn);
      return id;
    },

    getResponse: id => widget(id).response,

    execute: async id => {
      const { api, inner } = await widget(id).made;
      await service.execute(api, inner);
    },

    reset(id) {
      const drawn = widget(id);
      drawn.response = "";
      drawn.made.then(({ api, inner }) => service.reset(api, inner)).catch(() => {});
    },
  };
})();
