// How many days in a row something was solved.

/** The days in a row that something was solved, today or yesterday the last. @param {string | null} text @param {number} today */
export function streak(text, today) {
  const [days, last] = (text ?? "").split("@").map(Number);
  return Number.isInteger(days) && (last === today || last === today - 1) ? { days, last } : { days: 0, last: -1 };
}

/** The streak after something was solved today. @param {string | null} text @param {number} today */
export function solvedOn(text, today) {
  const { days, last } = streak(text, today);
  return `${last === today ? days : days + 1}@${today}`;
}
