// The page of the studies: published tables beside ours.

import { Refusal, explained, studies, study } from "./backend.js";
import { find, make } from "./dom.js";

/** @typedef {import("./backend.js").StudyReport} StudyReport */
/** @typedef {StudyReport["cells"][number]} Cell */

const select = find("studies", HTMLSelectElement);
const host = find("study", HTMLElement);
let abort = new AbortController();

/** @param {Cell} cell */
function figure({ computed }) {
  switch (computed.is) {
    case "exact":
    case "kept":
      return String(computed.value);
    case "log-estimate":
      return `\u2248 ${computed.value}`;
    case "bounds":
      return `${computed.low} to ${computed.high}`;
    default:
      return "";
  }
}

const VERDICTS = {
  equal: "as printed",
  differs: "differs from the print",
  misprint: "misprint",
  within: "near the print",
  proven: "proven",
  "not-reached": "not reached in time",
  "not-recomputed": "as printed; not computed here",
  unprinted: "never printed",
};

/** @param {Cell} cell */
function draw(cell) {
  const ours = figure(cell);
  const verdict = cell.verdict.is;
  const tone = verdict === "differs" ? "differs" : verdict === "not-reached" || verdict === "not-recomputed" ? "open" : "equal";
  const printed = cell.printed ?? "";
  const item = make("td", { class: tone, title: [VERDICTS[verdict], cell.note ?? ""].filter(Boolean).join(": ") }, ours || printed || "\u2013");
  if (ours && printed && ours !== printed) item.append(make("small", {}, `print: ${printed}`));
  if (verdict === "misprint") item.append(make("small", {}, "misprint"));
  if (tone === "open" && ours === "") item.append(make("small", {}, verdict === "not-reached" ? "not reached" : "printed"));
  return item;
}

/** @param {StudyReport} report */
function show({ title, citation, note, row_label, column_label, cells }) {
  const columns = [...new Set(cells.map(({ column }) => column))];
  const rows = [...new Set(cells.map(({ row }) => row))];
  const head = make("tr", {}, make("th", { scope: "col" }, [row_label, column_label].filter(Boolean).join(" \\ ")), ...columns.map((one) => make("th", { scope: "col" }, one)));
  const body = rows.map((row) =>
    make("tr", {}, make("th", { scope: "row" }, row), ...columns.map((column) => {
      const cell = cells.find((one) => one.row === row && one.column === column);
      return cell ? draw(cell) : make("td");
    })),
  );
  const counts = new Map();
  for (const { verdict } of cells) counts.set(verdict.is, (counts.get(verdict.is) ?? 0) + 1);
  const sum = [...counts].map(([is, number]) => `${number} ${VERDICTS[/** @type {keyof typeof VERDICTS} */ (is)]}`).join(", ");
  host.replaceChildren(
    make("h2", {}, title),
    make("p", { class: "hint" }, citation),
    ...(note ? [make("p", { class: "hint" }, note)] : []),
    make("p", {}, `${sum}.`),
    make("figure", { tabindex: 0, role: "region", "aria-label": "The table" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...body))),
  );
}

/** @param {unknown} reason */
function fail(reason) {
  const fault = find("fault", HTMLElement);
  fault.textContent = explained(reason);
  fault.hidden = false;
}

async function open() {
  abort.abort();
  abort = new AbortController();
  const { signal } = abort;
  find("fault", HTMLElement).hidden = true;
  history.replaceState(null, "", `#${select.value}`);
  host.replaceChildren(make("p", { class: "hint" }, "Computing\u2026"));
  for (;;) {
    try {
      const report = await study(select.value, signal);
      return signal.aborted ? undefined : show(report);
    } catch (reason) {
      if (signal.aborted) return;
      if (!(reason instanceof Refusal) || reason.status !== 503) {
        fail(reason);
        return host.replaceChildren();
      }
      host.replaceChildren(make("p", { class: "hint" }, "Others are being served; yours comes next."));
      await new Promise((resume) => setTimeout(resume, reason.retryAfter * 1000));
    }
  }
}

find("skip", HTMLElement).addEventListener("click", () => host.focus());
select.addEventListener("input", open);
async function begin() {
  const list = await studies();
  select.append(...list.studies.map(({ name, title }) => make("option", { value: name }, title)));
  if (list.studies.some(({ name }) => `#${name}` === location.hash)) select.value = location.hash.slice(1);
  await open();
}
begin().catch(fail);
