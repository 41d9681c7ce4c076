// The script of all pages: parts that load later, forms that answer at once, progress, copying. Nothing else runs here.
"use strict";

async function put(place, address, options) {
  place.dataset.busy = "";
  try {
    const answer = await fetch(address, { headers: { "X-Part": "1" }, ...options });
    place.innerHTML = await answer.text();
    begin(place);
  } finally {
    delete place.dataset.busy;
  }
}

// A form with data-live answers each change of its fields in the element that it names; only the last answer counts.
const waiting = new WeakMap();
function live(form) {
  const place = document.getElementById(form.dataset.live);
  const ask = async () => {
    waiting.get(form)?.abort();
    const control = new AbortController();
    waiting.set(form, control);
    const query = new URLSearchParams(new FormData(form));
    place.dataset.busy = "";
    try {
      const answer = await fetch(form.action.split("?")[0] + "?" + query, {
        headers: { "X-Part": "1" }, signal: control.signal,
      });
      place.innerHTML = await answer.text();
      begin(place);
      delete place.dataset.busy;
    } catch (error) {
      if (error.name !== "AbortError") throw error;
    }
  };
  form.addEventListener("input", ask);
  form.addEventListener("submit", (event) => { event.preventDefault(); ask(); });
}

// An element with data-events shows the parts that the server sends, until the last one, and then goes where it says.
function follow(place) {
  const source = new EventSource(place.dataset.events);
  source.onmessage = (event) => { place.innerHTML = JSON.parse(event.data); };
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
  for (const field of root.querySelectorAll("[data-sends]")) field.addEventListener("change", () => field.form.requestSubmit());
  for (const field of root.querySelectorAll("input[type=range][data-shows]")) {
    const output = document.getElementById(field.dataset.shows);
    field.addEventListener("input", () => { output.textContent = field.value; });
  }
  for (const button of root.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = button.dataset.copied;
    });
  }
}

begin(document);
