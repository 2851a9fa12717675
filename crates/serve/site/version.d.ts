/** The version of the program that wrote the site. */
export const VERSION: string;
/** The version and a digest of the site's files: the name of the folder that they lie in. */
export const STAMP: string;
/** The families that have a book. */
export const BOOKS: string[];
