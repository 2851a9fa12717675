/** What the service worker keeps: the site's files, and the SHA-256 of each. */
declare const SITE: { stamp: string; files: Record<string, string> };
