/* tslint:disable */
/* eslint-disable */

/**
 * A solver that stays warm between calls, a book, and a limit of memory.
 */
export class Engine {
    free(): void;
    [Symbol.dispose](): void;
    /**
     * Uses a book in place of the one before.
     */
    add_book(bytes: Uint8Array | number[]): void;
    /**
     * The body of the response of a route that gives one: JSON or a picture.
     */
    answer(path: string, query: string): string;
    /**
     * An engine that uses at most `memory` bytes.
     */
    constructor(memory: number);
    /**
     * Performs a task of an analysis: calls `tell` with the reports on the way and returns the last.
     */
    perform(query: string, task: string, tell: any): string;
    /**
     * The plan of the analysis that a query asks for.
     */
    plan(query: string): Planner;
    /**
     * Reviews a game: calls `tell` with the JSON of each turn and returns all of them.
     */
    review(query: string, tell: any): string;
}

/**
 * Plans an analysis: gives its tasks to workers and collects the findings.
 */
export class Planner {
    private constructor();
    free(): void;
    [Symbol.dispose](): void;
    /**
     * The findings since the last call, as a JSON list. The last one is `done` if no task is left.
     */
    findings(): string;
    /**
     * Whether all findings were returned.
     */
    is_over(): boolean;
    /**
     * The next task, as JSON.
     */
    next(): string | undefined;
    /**
     * Takes a report of a task that goes on.
     */
    progress(id: number, report: string): void;
    /**
     * Takes the last report of a task.
     */
    report(id: number, report: string): void;
}

/**
 * A solver of a game without a book and without a time limit: the same positions in the same order take the same
 * nodes here and on any machine.
 */
export class Solving {
    free(): void;
    [Symbol.dispose](): void;
    /**
     * A solver of a game that uses at most `memory` bytes.
     */
    constructor(game: string, memory: number);
    /**
     * The analysis of a position, as `sow solve --json` prints it.
     */
    solve(position: string): string;
    /**
     * The value of the start, the nodes and the seconds that it took, as a JSON list.
     */
    start(): string;
}

/**
 * The name of a game's book, where its family can have one.
 */
export function book_of(game: string): string | undefined;

/**
 * The version of the program that this is a part of.
 */
export function version(): string;

/**
 * Whether memory was refused since the last call: the reason why a worker failed.
 */
export function was_full(): boolean;

export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

export interface InitOutput {
    readonly memory: WebAssembly.Memory;
    readonly __wbg_engine_free: (a: number, b: number) => void;
    readonly __wbg_planner_free: (a: number, b: number) => void;
    readonly __wbg_solving_free: (a: number, b: number) => void;
    readonly book_of: (a: number, b: number) => [number, number];
    readonly engine_add_book: (a: number, b: number, c: number) => [number, number];
    readonly engine_answer: (a: number, b: number, c: number, d: number, e: number) => [number, number, number, number];
    readonly engine_new: (a: number) => number;
    readonly engine_perform: (a: number, b: number, c: number, d: number, e: number, f: any) => [number, number, number, number];
    readonly engine_plan: (a: number, b: number, c: number) => [number, number, number];
    readonly engine_review: (a: number, b: number, c: number, d: any) => [number, number, number, number];
    readonly planner_findings: (a: number) => [number, number];
    readonly planner_is_over: (a: number) => number;
    readonly planner_next: (a: number) => [number, number];
    readonly planner_progress: (a: number, b: number, c: number, d: number) => [number, number];
    readonly planner_report: (a: number, b: number, c: number, d: number) => [number, number];
    readonly solving_new: (a: number, b: number, c: number) => [number, number, number];
    readonly solving_solve: (a: number, b: number, c: number) => [number, number, number, number];
    readonly solving_start: (a: number) => [number, number, number, number];
    readonly version: () => [number, number];
    readonly was_full: () => number;
    readonly __wbindgen_exn_store: (a: number) => void;
    readonly __externref_table_alloc: () => number;
    readonly __wbindgen_externrefs: WebAssembly.Table;
    readonly __wbindgen_malloc: (a: number, b: number) => number;
    readonly __wbindgen_realloc: (a: number, b: number, c: number, d: number) => number;
    readonly __wbindgen_free: (a: number, b: number, c: number) => void;
    readonly __externref_table_dealloc: (a: number) => void;
    readonly __wbindgen_start: () => void;
}

export type SyncInitInput = BufferSource | WebAssembly.Module;

/**
 * Instantiates the given `module`, which can either be bytes or
 * a precompiled `WebAssembly.Module`.
 *
 * @param {{ module: SyncInitInput }} module - Passing `SyncInitInput` directly is deprecated.
 *
 * @returns {InitOutput}
 */
export function initSync(module: { module: SyncInitInput } | SyncInitInput): InitOutput;

/**
 * If `module_or_path` is {RequestInfo} or {URL}, makes a request and
 * for everything else, calls `WebAssembly.instantiate` directly.
 *
 * @param {{ module_or_path: InitInput | Promise<InitInput> }} module_or_path - Passing `InitInput` directly is deprecated.
 *
 * @returns {Promise<InitOutput>}
 */
export default function __wbg_init (module_or_path: { module_or_path: InitInput | Promise<InitInput> } | InitInput | Promise<InitInput>): Promise<InitOutput>;
