/** Everything worth noticing. Rooms get an `observe` function and no logger; logger and metrics choose what they keep. */
export type Observation =
  // ── the embedded database ──
  | { readonly kind: 'database-created'; readonly directory: string; readonly tookMs: number }
  /** `processId`: of the PostgreSQL server that a killed Docket left behind. */
  | { readonly kind: 'left-behind-database-stopped'; readonly processId: number; readonly tookMs: number }
  | { readonly kind: 'database-started'; readonly version: string; readonly processId: number; readonly tookMs: number }
  /** The server ended though nobody asked for it; it is started again. */
  | { readonly kind: 'database-died'; readonly exitCode: number | null; readonly signal: string | null }
  | { readonly kind: 'database-stopped'; readonly tookMs: number }
  // ── its schema ──
  | { readonly kind: 'migration-applied'; readonly name: string; readonly tookMs: number }

export type Observe = (observation: Observation) => void

/** For tools and tests that watch nothing. */
export const observeNothing: Observe = () => undefined
