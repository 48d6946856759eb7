"""The look of pages: pictures of them, and the mistakes that no page may have."""

import importlib.util
import json
import os
import pathlib

WIDTHS = (390, 1280)
AXE = pathlib.Path(importlib.util.find_spec("axe_core_python").submodule_search_locations[0]) / "axe.min.js"
SHOTS = os.environ.get("GATEHOUSE_SCREENSHOTS")
# Mistakes that no page may have: something wider than the screen, text that leaves its box, something hidden that is visible.
FAULTS = """
const page = document.documentElement, elements = [...document.body.querySelectorAll("*")];
const seen = element => element.checkVisibility({ visibilityProperty: true });
const scrolls = element => element && (getComputedStyle(element).overflowX !== "visible" || scrolls(element.parentElement));
const named = element => element.outerHTML.slice(0, 120);
const outside = element => {
  const { left, right } = element.getBoundingClientRect();
  return left < -0.5 || right > page.clientWidth + 0.5;
};
const spills = element => element.clientWidth > 0 && element.scrollWidth > element.clientWidth && element.tagName !== "INPUT";
return {
  overflow: Math.max(0, page.scrollWidth - page.clientWidth),
  outside: elements.filter(element => seen(element) && !scrolls(element.parentElement) && outside(element)).map(named),
  spilled: elements.filter(element => seen(element) && !scrolls(element) && spills(element)).map(named),
  hidden: elements.filter(element => element.hidden && seen(element)).map(named),
};
"""


def look(driver, name):
    """Looks at the page in both widths: nothing is wider than the screen, nothing hidden is seen. Takes a picture where one is wanted."""
    for width in WIDTHS:
        driver.resize(width, 844 if width < 500 else 800)
        if SHOTS:
            pathlib.Path(SHOTS).mkdir(exist_ok=True, parents=True)
            driver.save_screenshot(f"{SHOTS}/{name}-{width}.png")
        faults = {kind: found for kind, found in driver.execute_script(FAULTS).items() if found}
        assert not faults, f"{driver.current_url} at {width} px: {json.dumps(faults, indent=1)}"


def examine(driver, name):
    """The page fits screens down to 320 px, and can be read out at the widest and at the narrowest."""
    look(driver, name)
    read_out(driver)
    driver.resize(320, 640)
    faults = {kind: found for kind, found in driver.execute_script(FAULTS).items() if found}
    assert not faults, f"{driver.current_url} at 320 px: {json.dumps(faults, indent=1)}"
    read_out(driver)


def read_out(driver):
    """axe-core finds nothing serious at the page."""
    if not driver.execute_script("return Boolean(window.axe)"):
        driver.execute_script(AXE.read_text())
    found = driver.execute_async_script("axe.run().then(arguments[0])")
    assert found["passes"]
    faults = [
        [fault["id"], fault["help"], [node["html"] for node in fault["nodes"]], [node["any"] for node in fault["nodes"]]]
        for fault in found["violations"]
        if fault["impact"] in ("moderate", "serious", "critical")
        # The word is newer than this axe-core: https://html.spec.whatwg.org/#attr-fe-autocomplete-webauthn
        and not (fault["id"] == "autocomplete-valid" and all('"username webauthn"' in node["html"] for node in fault["nodes"]))
    ]
    assert not faults, f"{driver.current_url}: {json.dumps(faults, indent=1)}"
