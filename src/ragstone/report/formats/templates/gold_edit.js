"use strict";
// The editor of gold items: marked words become proof, and lint is asked for as one types.
// Without it, the button Check does the same, and words are copied by hand.
(() => {
  const form = document.getElementById("gold-form");
  const said = document.getElementById("lint-said");
  const phrases = document.getElementById("phrases");
  let waiting = 0;
  let asked = 0;

  for (const each of document.querySelectorAll(".needs-script")) each.hidden = false;

  function line(kind, name, text) {
    const item = document.createElement("li");
    item.className = kind;
    const first = document.createElement("b");
    first.textContent = name;
    const rest = document.createElement("span");
    rest.textContent = text;
    item.append(first, " ", rest);
    return item;
  }

  function show(found) {
    const list = document.createElement("ul");
    list.className = "lint-list";
    list.id = "lint-list";
    for (const each of found.wrong) list.append(line("FAIL", "to be mended", each));
    for (const each of found.weak) list.append(line("UNMEASURABLE", each.rule, each.says));
    if (!list.children.length) list.append(line("PASS", "sound", "nothing to mend"));
    // A reader of screens is told only of what is new.
    if (list.textContent !== said.textContent.trim()) said.replaceChildren(list);
    said.dataset.asked = String(asked);
  }

  async function lint() {
    const mine = ++asked;
    const body = new URLSearchParams(new FormData(form));
    try {
      const answer = await fetch("/gold/lint", { method: "POST", body });
      const found = await answer.json();
      if (mine !== asked) return;
      if (answer.ok) show(found);
      else show({ wrong: [found.error], weak: [] });
    } catch {
      if (mine === asked) show({ wrong: ["the server does not answer"], weak: [] });
    }
  }

  function soon() {
    clearTimeout(waiting);
    waiting = setTimeout(lint, 300);
  }

  form.addEventListener("input", soon);

  for (const button of document.querySelectorAll("button.use")) {
    const text = button.parentElement.querySelector("textarea");
    // Chromium has no cursor in what is read-only, and without one no keyboard can mark words. So the
    // field takes a cursor and no change; it has no name, and is not sent.
    text.addEventListener("beforeinput", (event) => event.preventDefault());
    button.addEventListener("click", () => {
      const marked = text.value.slice(text.selectionStart, text.selectionEnd);
      const words = marked.split(/\s+/u).filter(Boolean).join(" ");
      if (!words) {
        text.focus();
        return;
      }
      const held = phrases.value.split("\n").filter((each) => each.trim());
      if (!held.includes(words)) held.push(words);
      phrases.value = held.join("\n");
      document.getElementById(button.dataset.chunk).checked = true;
      phrases.focus();
      soon();
    });
  }
})();
