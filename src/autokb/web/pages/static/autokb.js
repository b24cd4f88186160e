// What the pages do beyond links and forms: keys, a suggestion into the reply box, copying, and saying what failed.
"use strict";

const root = document.documentElement.dataset.root || ""; // what stands in front of the paths of this workspace
const one = (selector) => selector && document.querySelector(selector);
const isWriting = (element) => element.matches("input:not([type=radio]), textarea, select") || element.isContentEditable;

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.put) {
    const box = one(button.dataset.put);
    box.value = one(button.dataset.from).textContent;
    one("#chosen").value = button.dataset.place;
    box.focus();
  }
  if (button.dataset.copy) copy(one(button.dataset.copy));
});

function copy(box) {
  if (!box.value) return;
  if (navigator.clipboard) {
    navigator.clipboard.writeText(box.value).catch(() => say("The browser did not allow copying; copy the reply from the conversation."));
    return;
  }
  box.select(); // without https there is no clipboard to write to, but what is selected can be copied
  document.execCommand("copy");
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  const writing = isWriting(event.target);
  const choices = one("form[data-choices]");
  if (choices && !writing && !event.ctrlKey && !event.metaKey && !event.altKey && choose(choices, event)) {
    event.preventDefault();
    return;
  }
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.dataset.submit) {
    event.preventDefault();
    one(event.target.dataset.submit).click();
  } else if (event.key === "Escape" && writing) {
    event.target.blur();
  } else if (!writing && !event.ctrlKey && !event.metaKey && !event.altKey && /^[a-z0-9/?]$/i.test(event.key)) {
    const key = CSS.escape(event.key);
    const focused = one(`[data-focus="${key}"]`);
    const pressed = one(`[data-key="${key}"]`);
    if (!focused && !pressed) return;
    event.preventDefault();
    if (focused) focused.focus();
    else pressed.click();
  }
});

// In a form of choices a digit chooses and goes on to the next group, and Enter sends it from anywhere but a link.
function choose(form, { key, target }) {
  if (key === "Enter" && !target.closest("a, button, summary")) {
    form.requestSubmit();
    return true;
  }
  const groups = [...form.querySelectorAll("fieldset")];
  const group = target.closest("fieldset") || groups.find((each) => !each.querySelector(":checked"));
  const choice = group && group.querySelector(`[data-pick="${CSS.escape(key)}"]`);
  if (!choice) return false;
  choice.checked = true;
  const next = groups[groups.indexOf(group) + 1];
  (next ? next.querySelector(":checked") || next.querySelector("input") : form.querySelector("button")).focus();
  return true;
}

// A field whose value this browser keeps, such as the team.
function keep() {
  for (const field of document.querySelectorAll("[data-kept]")) {
    try {
      if (!field.value) field.value = localStorage.getItem(root + field.dataset.kept) || "";
      field.onchange = () => localStorage.setItem(root + field.dataset.kept, field.value);
    } catch {
      return; // a browser that keeps nothing
    }
  }
}
document.addEventListener("DOMContentLoaded", keep);
document.addEventListener("htmx:afterSettle", (event) => {
  keep();
  // So that 1, 2 and 3 choose at once, and the next message of the customer can be pasted at once.
  if (event.detail.elt.id === "conversation") (one(".use") || one("#text")).focus({ preventScroll: true });
  const last = one(".messages li:last-child");
  if (last) last.scrollIntoView({ block: "nearest" });
});

let hiding;
function say(sentence) {
  const toast = one("#toast");
  toast.textContent = sentence;
  toast.hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(() => (toast.hidden = true), 8000);
}

document.addEventListener("htmx:responseError", (event) => {
  const { status, responseText } = event.detail.xhr;
  if (status === 401) {
    location.assign(`${root}/login?next=${encodeURIComponent(location.pathname + location.search)}`);
    return;
  }
  let sentence = "That did not work; try again.";
  try {
    sentence = JSON.parse(responseText).detail || sentence;
  } catch {
    // no problem+json: a proxy answered
  }
  say(sentence);
});
document.addEventListener("htmx:sendError", () => say("The service cannot be reached; nothing was changed."));
