/** Who answers a route: the main worker, a worker of the pool, or a file of the site. */
declare const routes: Record<string, "main" | "pool" | "file">;
export default routes;
