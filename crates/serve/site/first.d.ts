/** The first responses, by path and query. */
declare const responses: Record<string, string>;
export default responses;
