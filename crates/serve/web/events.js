// Server-sent events.

/**
 * The complete events of a text, and the rest, which is the begin of the next one.
 *
 * @param {string} text
 * @returns {{ events: { name: string, data: string }[], rest: string }}
 */
export function parseEvents(text) {
  const blocks = text.replaceAll("\r\n", "\n").split("\n\n");
  const rest = blocks.pop() ?? "";
  const events = [];
  for (const block of blocks) {
    let name = "message";
    const data = [];
    for (const field of block.split("\n")) {
      const [, key, value] = /^([^:]*):? ?(.*)$/.exec(field) ?? [];
      if (key === "event") name = value;
      if (key === "data") data.push(value);
    }
    if (data.length > 0) events.push({ name, data: data.join("\n") });
  }
  return { events, rest };
}
