import { type LoadedPrincipal, loadPrincipal } from '../identity/load-principal.ts'
import { runUngated } from '../kernel/run-gated.ts'
import { changeEvent } from '../records/changes/change-event.ts'
import { readEventIds } from '../records/changes/event-ids.ts'
import { visibleChanges } from '../records/changes/visible-changes.ts'
import type { RecordDeps } from '../records/record-deps.ts'
import { done, outdated, retryOnStaleEpoch, type Turn } from '../records/retry-on-stale-epoch.ts'

/** A change that a webhook delivers, and the principal whose rights apply. */
export interface DeliveredChange {
  /** Sequence number in the log of changes. */
  readonly position: string
  readonly runAs: string
}

export type Payload =
  | { readonly kind: 'readable'; readonly json: string }
  /** The user may not read any part of the change, or the log no longer has it. */
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'user-not-active' }

type Owner = LoadedPrincipal | undefined

/** Attempts; each fails only if roles change while the change is read. */
const MAX_TURNS = 50

/**
 * Returns what a delivery may contain now. Called before each attempt, because a delivery may wait for days and the rights may
 * shrink meanwhile.
 */
export async function currentPayload(deps: RecordDeps, { position, runAs }: DeliveredChange): Promise<Payload> {
  const range = { after: String(BigInt(position) - 1n), upTo: position, max: 1, tables: null, operations: null }
  const load = (): Promise<Owner> => loadPrincipal(deps.database, runAs)
  const turnOf = (turn: Turn<Owner, Payload>): Turn<Owner, Payload> => turn
  const payload = await retryOnStaleEpoch(await load(), { max: MAX_TURNS, turnOf }, async (owner) => {
    if (!owner?.isActive) return done({ kind: 'user-not-active' })
    const { principal, identityEpoch } = owner
    const page = await visibleChanges(deps, { ...range, principal, identityEpoch, run: runUngated })
    if (page.kind === 'identity-changed') return outdated(await load())
    const [change] = page.kind === 'changes' ? page.changes : []
    if (change === undefined) return done({ kind: 'unreadable' })
    return done({ kind: 'readable', json: JSON.stringify(changeEvent(change, await readEventIds(deps.database))) })
  })
  if (payload !== null) return payload
  throw new Error('roles change faster than a delivery can be read')
}
