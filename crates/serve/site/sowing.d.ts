/* tslint:disable */
/* eslint-disable */

/**
 * A worker's means: a solver that stays warm, a book, and a limit of memory.
 */
export class Engine {
    free(): void;
    [Symbol.dispose](): void;
    /**
     * Takes a book on; the one before it goes.
     */
    add_book(bytes: Uint8Array | number[]): void;
    /**
     * The answer of a path that needs one and no more; JSON or a picture.
     */
    answer(path: string, query: string): string;
    /**
     * An engine that keeps within so many bytes.
     */
    constructor(memory: number);
    /**
     * Does a task of an analysis: `tell` is called with reports on the way, and the answer is the
     * last.
     */
    perform(query: string, task: string, tell: any): string;
    /**
     * A plan for the analysis that a query asks for.
     */
    plan(query: string): Planner;
    /**
     * Reviews a game: `tell` is called with each turn's JSON, and the answer is all of them.
     */
    review(query: string, tell: any): string;
}

/**
 * Plans an analysis, hands its tasks out to whoever is free, and tells what is found.
 */
export class Planner {
    private constructor();
    free(): void;
    [Symbol.dispose](): void;
    /**
     * Whether all was told.
     */
    is_over(): boolean;
    /**
     * What was found since this was asked last, a list of findings as JSON. The last of them is
     * `done` where nothing is left to do.
     */
    news(): string;
    /**
     * A task for somebody who is free, as JSON.
     */
    next(): string | undefined;
    /**
     * Takes on what is known on the way to the end of a task.
     */
    progress(id: number, report: string): void;
    /**
     * Takes on what came of a task.
     */
    report(id: number, report: string): void;
}

/**
 * A solver of a game without a book or limits of time: the same questions in the same order take the
 * same nodes here and on any machine.
 */
export class Solving {
    free(): void;
    [Symbol.dispose](): void;
    /**
     * A solver of a game with so many bytes.
     */
    constructor(game: string, memory: number);
    /**
     * What `sow solve` prints of a position as JSON.
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
 * Whether memory was refused since this was asked last: why a worker broke off.
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
    readonly planner_is_over: (a: number) => number;
    readonly planner_news: (a: number) => [number, number];
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
