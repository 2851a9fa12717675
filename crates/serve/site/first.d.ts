/** Answers to what is asked first, by path and query. */
declare const answers: Record<string, string>;
export default answers;
