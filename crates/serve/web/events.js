// Server-sent events as text.

/**
 * Cuts complete events off a text; what is left over belongs to the next one.
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
