/** Runs `work`, which sends statements, as soon as its user may run statements. Without a time limit; must not be nested. */
export type RunGated = <T>(work: () => Promise<T>) => Promise<T>

/** For background work, which no gate limits. */
export const runUngated: RunGated = (work) => work()
