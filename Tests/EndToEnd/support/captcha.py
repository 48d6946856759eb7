"""Stands for the captcha services: their scripts, and the checks of the tokens that these make."""

import datetime
import itertools
import json

from werkzeug.wrappers import Request, Response

from support.web_server import WebServer

SITE_KEY = "0x4AAA-site"
# The part of a service's interface that a page uses. The widget is a button; a click on it, or `execute`, solves it.
WIDGET = """
window.captchaScripts = (window.captchaScripts ?? 0) + 1;
const widgets = [];
const api = {
  ready: found => found(),
  render(holder, parameters) {
    if (parameters.sitekey !== "%(key)s") throw new Error("a widget without the site key");
    const id = `widget-${widgets.length}`;
    const number = () => fetch(`${home}/token?action=${parameters.action ?? ""}`).then(answer => answer.text());
    const solve = () => number().then(parameters.callback, parameters["error-callback"]);
    const button = document.createElement("button");
    button.type = "button";
    button.className = "captcha-widget";
    button.textContent = "I am a person";
    button.addEventListener("click", solve);
    const isInvisible = parameters.size === "invisible" || parameters.execution === "execute";
    if (!isInvisible) holder.append(button);
    widgets.push({ id, solve, expire: parameters["expired-callback"] });
    return id;
  },
  execute: id => widgets.find(widget => widget.id === id).solve(),
  reset: id => { window.captchaResets = (window.captchaResets ?? 0) + 1; },
  enterprise: {
    ready: found => found(),
    execute: (key, { action }) => fetch(`${home}/token?action=${action}`).then(answer => answer.text()),
  },
};
const home = new URL(document.currentScript.src).origin;
window.captchaExpires = () => widgets.at(-1).expire();
"""


class CaptchaServices:
    """All of them at one address, at `/<service>.js` and `/<service>`. A token counts once, on the page's host."""

    def __init__(self):
        self.tokens = {}
        self.numbers = itertools.count(1)
        self.host = "localhost"
        self.web = WebServer(Request.application(self.respond))
        self.url = self.web.url.replace("127.0.0.1", "localhost")

    def close(self):
        self.web.close()

    def settings(self, service):
        """The entry of a project's file."""
        addresses = {"scriptURL": f"{self.url}/{service}.js", "verifyURL": f"{self.url}/{service}"}
        secret = {"env": "CLIENT_SECRET"}
        if service == "recaptchaEnterprise":
            return {"siteKey": SITE_KEY, "projectId": "acme-prod", "apiKey": secret, **addresses}
        return {"siteKey": SITE_KEY, "secret": secret, **addresses}

    def respond(self, request):
        name = request.path[1:]
        if name.endswith(".js"):
            target = {"turnstile.js": "turnstile", "hcaptcha.js": "hcaptcha"}.get(name, "grecaptcha")
            script = "(() => {%s window.%s = api; })();" % (WIDGET % {"key": SITE_KEY}, target)
            return Response(script, content_type="text/javascript")
        if name == "token":
            token = f"captcha-{next(self.numbers)}"
            self.tokens[token] = request.args["action"]
            return Response(token, headers={"access-control-allow-origin": "*"})
        action = self.tokens.pop(request.form.get("response"), None)
        made = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        answer = {"success": action is not None, "hostname": self.host, "action": action, "challenge_ts": made}
        return Response(json.dumps(answer), content_type="application/json")
