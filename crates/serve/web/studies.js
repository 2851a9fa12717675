// The page of the studies: published tables beside ours. The API decides what each cell shows.

import { ApiError, explained, studies, studyTable } from "./backend.js";
import { find, make } from "./dom.js";
import { notes, tone } from "./study-cell.js";

/** @import { StudyTable, TableCell } from "./types.js" */

const select = find(document, "#studies", HTMLSelectElement);
const host = find(document, "#study");
let abort = new AbortController();

/** @param {TableCell} cell */
function draw(cell) {
  const item = make("td", { class: `${tone(cell)} ${cell.source}`, title: cell.about }, cell.shown || "\u2013");
  item.append(...notes(cell).map((note) => make("small", {}, note)));
  return item;
}

/** @param {{ count: number, text: string }[]} counts */
function sentence(counts) {
  return `${counts.map(({ count, text }) => `${count} ${text}`).join(", ")}.`;
}

/** @param {StudyTable} table */
function show({ title, citation, note, corner, columns, rows, agreements, sources, misprints, furthest }) {
  const head = make(
    "tr",
    {},
    make("th", { scope: "col" }, corner),
    ...columns.map((one) => make("th", { scope: "col" }, one)),
  );
  const body = rows.map(({ label, cells }) =>
    make("tr", {}, make("th", { scope: "row" }, label), ...cells.map((cell) => (cell ? draw(cell) : make("td")))),
  );
  host.replaceChildren(
    make("h2", {}, title),
    make("p", { class: "hint" }, citation),
    ...(note ? [make("p", { class: "hint" }, note)] : []),
    make("p", {}, `Beside the print: ${sentence(agreements)}`),
    make("p", {}, `Figures: ${sentence(sources)}`),
    ...misprints.map((misprint) => make("p", { class: "hint" }, `Misprint ${misprint}`)),
    ...(furthest ? [make("p", { class: "hint" }, furthest)] : []),
    make(
      "figure",
      { tabindex: 0, role: "region", "aria-label": "The table" },
      make("table", {}, make("thead", {}, head), make("tbody", {}, ...body)),
    ),
  );
}

/** @param {unknown} reason */
function fail(reason) {
  const fault = find(document, "#fault");
  fault.textContent = explained(reason);
  fault.hidden = false;
}

async function open() {
  abort.abort();
  abort = new AbortController();
  const { signal } = abort;
  find(document, "#fault").hidden = true;
  history.replaceState(null, "", `#${select.value}`);
  host.replaceChildren(make("p", { class: "hint" }, "Computing\u2026"));
  for (;;) {
    try {
      const table = await studyTable(select.value, signal);
      return signal.aborted ? undefined : show(table);
    } catch (reason) {
      if (signal.aborted) return;
      if (!(reason instanceof ApiError) || reason.status !== 503) {
        fail(reason);
        return host.replaceChildren();
      }
      host.replaceChildren(make("p", { class: "hint" }, "Others are being served; yours comes next."));
      await new Promise((resume) => setTimeout(resume, reason.retryAfter * 1000));
    }
  }
}

find(document, "#skip").addEventListener("click", () => host.focus());
select.addEventListener("input", open);
async function begin() {
  const list = await studies();
  select.append(...list.studies.map(({ name, title }) => make("option", { value: name }, title)));
  if (list.studies.some(({ name }) => `#${name}` === location.hash)) select.value = location.hash.slice(1);
  await open();
}
begin().catch(fail);
