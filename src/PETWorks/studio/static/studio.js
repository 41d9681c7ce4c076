// The script of all pages: parts that load later, forms that answer at once, progress, copying. Nothing else runs here.
"use strict";

// Asks for a part of a page and puts it in its place; if the server has ended, says so there.
async function put(place, address, options) {
  place.dataset.busy = "";
  try {
    const answer = await fetch(address, { headers: { "X-Part": "1" }, ...options });
    place.innerHTML = await answer.text();
    begin(place);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    lose(place);
  } finally {
    delete place.dataset.busy;
  }
}

function lose(place) {
  const message = document.createElement("p");
  message.className = "message fail";
  message.setAttribute("role", "alert");
  message.textContent = document.body.dataset.lost;
  place.replaceChildren(message);
}

// A form with data-live answers each change of its fields in the element that it names. One question is asked at a time;
// what changes meanwhile is asked next. With data-asks it asks that address instead of its own, and is sent as any other
// form when the user says so; a button with an address of its own always is.
function live(form) {
  const place = document.getElementById(form.dataset.live);
  const asks = form.dataset.asks;
  let busy = false;
  let again = false;
  const ask = async () => {
    again = true;
    if (busy) return;
    busy = true;
    try {
      while (again) {
        again = false;
        const fields = new URLSearchParams(new FormData(form));
        const address = asks ?? form.action.split("?")[0] + "?" + fields;
        const body = asks ? { method: "POST", body: fields } : {};
        await put(place, address, body);
        if (!asks) remember(new URL(address, location.href));
      }
    } finally {
      busy = false;
    }
  };
  form.addEventListener("input", ask);
  form.addEventListener("submit", (event) => {
    if (asks || event.submitter?.hasAttribute("formaction")) return;
    event.preventDefault();
    ask();
  });
}

const leftAt = (address) => `left ${address.pathname} ${address.searchParams.get("policy")}`;

// Whoever reloads the page, or changes the language, gets it as it is now; a link with data-as-left leads there, too.
function remember(address) {
  if (address.pathname !== location.pathname) return;
  sessionStorage.setItem(leftAt(address), address.search);
  history.replaceState(null, "", address);
  for (const field of document.querySelectorAll("input[name=back]")) field.value = address.pathname + address.search;
}

// An element with data-events shows the parts that the server sends, until the last one, and then goes where it says.
function follow(place) {
  const source = new EventSource(place.dataset.events);
  source.onmessage = (event) => { place.innerHTML = JSON.parse(event.data); };
  source.onerror = () => { source.close(); lose(place); };
  source.addEventListener("end", (event) => {
    source.close();
    const target = JSON.parse(event.data);
    if (target) location.assign(target);
  });
}

function begin(root) {
  for (const place of root.querySelectorAll("[data-load]")) put(place, place.dataset.load);
  for (const form of root.querySelectorAll("form[data-live]")) live(form);
  for (const place of root.querySelectorAll("[data-events]")) follow(place);
  for (const field of root.querySelectorAll("input[type=range][data-shows]")) {
    const output = document.getElementById(field.dataset.shows);
    const names = JSON.parse(field.dataset.names ?? "[]");
    field.addEventListener("input", () => {
      output.textContent = names[field.value] ?? field.value;
      if (names.length) field.setAttribute("aria-valuetext", output.textContent);
    });
  }
  for (const back of root.querySelectorAll("a[data-as-left]")) back.search = sessionStorage.getItem(leftAt(new URL(back.href))) ?? back.search;
  // Parts of an answer with data-to go to the element that they name.
  for (const piece of root.querySelectorAll("[data-to]")) {
    document.getElementById(piece.dataset.to)?.replaceChildren(...piece.childNodes);
  }
  for (const part of root.querySelectorAll("[data-press]")) {
    part.addEventListener("click", () => document.getElementById(part.dataset.press).click());
  }
  for (const place of root.querySelectorAll("[data-draft]")) {
    place.hidden = !Object.keys(JSON.parse(sessionStorage.getItem("typed " + place.dataset.draft) ?? "{}")).length;
  }
  for (const button of root.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = button.dataset.copied;
    });
  }
}

// What was typed in a form and is not saved yet is kept for this tab, so that going back, reloading or an error loses
// nothing. A field is filled in again unless its saved value has changed meanwhile: then what was typed stands below it.
const initial = new Map();
const failed = "failed" in document.body.dataset; // the page shows what was sent and not saved
const keyOf = (field) => (["checkbox", "radio"].includes(field.type) ? `${field.name}=${field.value}` : field.name);
const valueOf = (field) => (["checkbox", "radio"].includes(field.type) ? field.checked : field.value);
const nameOf = (form) => "typed " + form.getAttribute("action");
const fieldsOf = (form) => [...form.elements].filter((field) => field.name && !["hidden", "submit", "button"].includes(field.type));
const draftOf = (form) => JSON.parse(sessionStorage.getItem(nameOf(form)) ?? "{}");

function keep(form) {
  const draft = draftOf(form);
  for (const field of fieldsOf(form)) {
    const key = keyOf(field);
    if (valueOf(field) !== initial.get(field)) draft[key] = [draft[key]?.[0] ?? initial.get(field), valueOf(field)];
    else if (failed && key in draft) draft[key][1] = valueOf(field);
    else delete draft[key];
  }
  sessionStorage.setItem(nameOf(form), JSON.stringify(draft));
  mark(form, Object.keys(draft).length > 0);
}

function mark(form, unsaved) {
  if (unsaved) form.dataset.unsaved = "";
  else delete form.dataset.unsaved;
  for (const place of form.querySelectorAll(".saving-state")) place.textContent = unsaved ? document.body.dataset.unsaved : "";
}

function fillAgain(form) {
  const draft = draftOf(form);
  for (const field of fieldsOf(form)) {
    initial.set(field, valueOf(field));
    const [before, typed] = draft[keyOf(field)] ?? [];
    if (failed || before === undefined || typed === valueOf(field)) continue;
    for (let part = field.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
    if (before === valueOf(field)) field[typeof typed === "boolean" ? "checked" : "value"] = typed;
    else field.insertAdjacentElement("afterend", document.createElement("output")).textContent = `${document.body.dataset.typed} ${typed}`;
  }
  if (Object.keys(draft).length) mark(form, true);
  if (Object.keys(draft).length) form.dispatchEvent(new Event("input"));
}

const sent = sessionStorage.getItem("sent");
if (sent && !failed) sessionStorage.removeItem(sent);
sessionStorage.removeItem("sent");
begin(document);
const isEdited = (form) => form?.method === "post" && form.closest("main");
for (const form of document.querySelectorAll("main form[method=post]")) fillAgain(form);
document.addEventListener("input", (event) => { if (isEdited(event.target.form)) keep(event.target.form); });
document.addEventListener("submit", (event) => {
  if (isEdited(event.target)) sessionStorage.setItem("sent", nameOf(event.target));
  delete event.target.dataset.unsaved;
});
// Only closing the tab, or leaving for another place, would lose it: then the browser asks first.
let inside = 0;
window.navigation?.addEventListener("navigate", (event) => { if (event.destination.url.startsWith(location.origin)) inside = Date.now(); });
document.addEventListener("click", (event) => { if (event.target.closest("main a, header a, header button")) inside = Date.now(); });
addEventListener("beforeunload", (event) => {
  if (document.querySelector("form[data-unsaved]") && Date.now() - inside > 1000) event.preventDefault();
});
addEventListener("beforeprint", () => { for (const part of document.querySelectorAll("main details:not(.command)")) part.open = true; });
