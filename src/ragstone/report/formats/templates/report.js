"use strict";
// Makes a finished page a place to work: links are copied, folds open for what a link names, and the
// questions of the page's data become a table. Nothing is computed that the data does not say.
(() => {
  const find = (selector, inside = document) => inside.querySelector(selector);
  const every = (selector, inside = document) => [...inside.querySelectorAll(selector)];
  const made = (tag, text = "", name = "") => Object.assign(document.createElement(tag), { textContent: text, className: name });
  const say = (text) => { find("#said").textContent = text; };

  // The state is the fragment: filter, sort and what is looked at, so that a link can be sent.
  const state = { filter: "", sort: "", at: "" };
  const fragment = (at = state.at) => [
    state.filter && `filter=${encodeURIComponent(state.filter)}`,
    state.sort && `sort=${encodeURIComponent(state.sort)}`, at,
  ].filter(Boolean).join("&");
  const keep = (how = "replaceState") => {
    // A page inside a notebook has no address of its own, and goes without.
    if (location.protocol !== "about:") history[how](null, "", fragment() ? `#${fragment()}` : location.href.split("#")[0]);
  };
  const read = () => {
    Object.assign(state, { filter: "", sort: "", at: "" });
    for (const part of location.hash.slice(1).split("&")) {
      const [name, value] = [part.split("=")[0], part.slice(part.indexOf("=") + 1)];
      if (part.includes("=") && (name === "filter" || name === "sort")) state[name] = decoded(value);
      else state.at = part;
    }
  };
  const decoded = (text) => { try { return decodeURIComponent(text); } catch { return text; } };
  const copy = async (at) => {
    const link = `${location.href.split("#")[0]}#${fragment(at)}`;
    try { await navigator.clipboard.writeText(link); say("link copied"); }
    catch { say(`the link: ${link}`); }
  };
  const copier = (at, what) => Object.assign(made("button", "#", "copy"), {
    type: "button", title: `copy a link to ${what}`, ariaLabel: `copy a link to ${what}`, onclick: (event) => { event.preventDefault(); copy(at); },
  });
  const unfold = (element) => { for (let each = element; each; each = each.parentElement) if (each.matches("details")) each.open = true; };
  const reveal = (element) => {
    unfold(element);
    every(".here").forEach((each) => each.classList.remove("here"));
    element.classList.add("here");
    element.scrollIntoView({ block: element.offsetHeight > innerHeight / 2 ? "start" : "center" });
  };

  // The questions: all of them, one object each, from the columns of the data.
  const lists = JSON.parse(find("#data").textContent);
  const prefix = (list) => (lists.length > 1 ? `${list.suite}.` : "");
  const rows = lists.flatMap((list) => list.qid.map((qid, i) => ({
    list, qid,
    at: `${prefix(list)}q=${encodeURIComponent(qid)}`,
    failed: list.failed[i].map((n) => list.checks[n]),
    costs: list.costs[i].map((n) => list.metrics[n]),
    values: list.values[i].map((some) => some.map((n) => list.strings[n])),
    asked: list.strings[list.asked[i]],
    said: list.strings[list.said[i]],
    turned: list.turned[i] || "",
  })));
  const meaning = Object.fromEntries(lists.flatMap((list) => [...list.checks.map((name, n) => [name, list.problems[n]]), ...list.metrics.map((name, n) => [name, list.titles[n]])]));
  const fields = [...new Set(lists.flatMap((list) => list.fields))];
  const value = (row, field) => row.values[row.list.fields.indexOf(field)] || [];
  const columns = {
    suite: (row) => row.list.suite, qid: (row) => row.qid, failed: (row) => row.failed, costs: (row) => row.costs,
    turned: (row) => row.turned, ...Object.fromEntries(fields.map((field) => [field, (row) => value(row, field)])),
    question: (row) => row.asked, answer: (row) => row.said,
  };
  const used = (name) => (name === "suite" ? lists.length > 1 : name === "failed" || rows.some((row) => columns[name](row).length));
  const shownColumns = Object.keys(columns).filter(used);

  // failed:cited tag:billing "a phrase" -word: a row is shown when every word of the filter holds.
  const tests = (filter) => [...filter.matchAll(/(-?)(?:([^\s:"]+):)?("[^"]*"?|\S+)/g)].map(([, not, key, word]) => {
    const wanted = word.replaceAll('"', "").toLowerCase();
    const name = key && (columns[key] ? key : Object.keys(columns).find((each) => each.startsWith(key)));
    const same = (text) => (wanted.endsWith("*") ? text.toLowerCase().startsWith(wanted.slice(0, -1)) : text.toLowerCase() === wanted);
    if (key && !name) say(`nothing is called ${key}; there are ${shownColumns.join(", ")}`);
    const holds = !name ? (row) => [row.qid, row.asked, row.said].some((text) => text.toLowerCase().includes(wanted))
      : name === "question" || name === "answer" ? (row) => columns[name](row).toLowerCase().includes(wanted)
        : (row) => [columns[name](row)].flat().some((text) => text && same(text));
    return not ? (row) => !holds(row) : holds;
  });

  const body = find("#questions tbody");
  const input = find("#filter");
  let [found, looked] = [rows, 0];
  const chip = (name, text) => {
    const plain = (name === "costs" && meaning[text]) || text;
    const button = Object.assign(made("button", plain, name === "failed" ? "chip fails" : "chip"), { type: "button", title: plain === text ? meaning[text] || "filter by this" : `${plain} (${text})` });
    const word = `${name}:${/\s/.test(text) ? `"${text}"` : text}`;
    return Object.assign(button, { onclick: () => { if (!state.filter.includes(word)) state.filter = `${state.filter} ${word}`.trim(); update(); } });
  };
  const cell = (row, name) => {
    const td = made("td");
    td.dataset.column = name;
    if (name === "qid") {
      td.append(Object.assign(made("a", row.qid), { href: `#${row.at}` }), copier(row.at, row.qid));
      const history = body.closest("table").dataset.history;
      if (history) td.append(" ", Object.assign(made("a", "history", "muted"), { href: history + encodeURIComponent(row.qid), ariaLabel: `history of ${row.qid}` }));
    } else if (name === "question" || name === "answer") Object.assign(td, { textContent: columns[name](row), dir: "auto" });
    else td.append(...[columns[name](row)].flat().filter(Boolean).map((text) => chip(name, text)));
    return td;
  };
  const more = () => {
    const from = body.rows.length;
    body.append(...found.slice(from, from + 25).map((row) => {
      const tr = made("tr", "", row.at === state.at ? "at" : "");
      tr.append(...shownColumns.map((name) => cell(row, name)));
      return tr;
    }));
    find("#more").hidden = body.rows.length >= found.length;
  };
  const update = () => {
    say("");
    looked = 0;
    const all = tests(state.filter);
    found = rows.filter((row) => { looked += 1; return all.every((holds) => holds(row)); });
    const [down, by] = state.sort.startsWith("-") ? [-1, state.sort.slice(1)] : [1, state.sort];
    if (columns[by]) {
      const keys = new Map(found.map((row) => [row, [columns[by](row)].flat().join(" ")]));
      found.sort((a, b) => down * (keys.get(a) < keys.get(b) ? -1 : keys.get(a) > keys.get(b) ? 1 : 0));
    }
    if (input.value !== state.filter) input.value = state.filter;
    every("#questions th").forEach((th) => th.setAttribute("aria-sort", th.dataset.column === by ? (down > 0 ? "ascending" : "descending") : "none"));
    body.replaceChildren();
    more();
    find("#count").textContent = `${found.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")}`;
    find("#count").dataset.looked = looked;
    keep();
  };
  const choose = (row) => {
    state.at = row.at;
    while (body.rows.length <= found.indexOf(row)) more();
    every("tr.at", body).forEach((tr) => tr.classList.remove("at"));
    const tr = body.rows[found.indexOf(row)];
    tr.classList.add("at");
    reveal(tr);
    keep();
  };
  const step = (by) => {
    if (found.length) choose(found[Math.min(Math.max(found.findIndex((row) => row.at === state.at) + by, 0), found.length - 1)]);
  };
  // What the state names: a part of the page, or a row of the table, which no filter may hide.
  const show = () => {
    const target = document.getElementById(state.at);
    const row = !target && (found.find((each) => each.at === state.at) || rows.find((each) => each.at === state.at));
    if (target) reveal(target);
    else if (!row) say(state.at && `this page has no ${decoded(state.at)}`);
    else {
      if (!found.includes(row)) { state.filter = ""; update(); }
      choose(row);
    }
  };

  every(".needs-script").forEach((each) => { each.hidden = false; });
  every("[data-copy]").forEach((each) => each.append(copier(each.dataset.copy, each.dataset.what)));
  const known = new Set(rows.map((row) => row.at));
  every("[data-q]").filter((each) => known.has(each.dataset.q)).forEach((each) => {
    each.replaceChildren(Object.assign(made("a", each.textContent), { href: `#${each.dataset.q}` }));
  });
  // A long table shows the rows that hold what is typed above it.
  every(".narrow input").forEach((box) => box.addEventListener("input", () => every("tbody tr", box.closest(".narrow").nextElementSibling).forEach((row) => { row.hidden = !row.textContent.toLowerCase().includes(box.value.toLowerCase()); })));
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    // Also where the page is inside another one, whose address a link would be added to.
    event.preventDefault();
    state.at = link.getAttribute("href").slice(1);
    keep("pushState");
    show();
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input, textarea, select");
    if (typing && event.key === "Escape") event.target.blur();
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const button = find(`[data-key="${CSS.escape(event.key)}"]`);
    if (!button) return;
    event.preventDefault();
    if (button.matches("input")) { unfold(button); button.focus(); button.select(); } else button.click();
  });
  const clicked = (id, act) => find(id).addEventListener("click", act);
  clicked("#help-open", () => find("#help").showModal());
  clicked("#unfold", () => {
    const open = every("main details").some((each) => !each.open);
    every("main details").forEach((each) => { each.open = open; });
  });
  if (body) {
    find("#questions thead tr").append(...shownColumns.map((name) => {
      const th = Object.assign(made("th"), { scope: "col" });
      th.dataset.column = name;
      th.append(Object.assign(made("button", name), { type: "button", onclick: () => { state.sort = state.sort === name ? `-${name}` : name; update(); } }));
      return th;
    }));
    input.addEventListener("input", () => { state.filter = input.value; update(); });
    clicked("#more", more);
    clicked("#next", () => step(1));
    clicked("#previous", () => step(-1));
    clicked("#copy-view", () => copy(state.at));
  }
  const go = () => { read(); if (body) update(); show(); };
  addEventListener("hashchange", go);
  go();
})();
