import { type LoadedPrincipal, loadPrincipal } from '../identity/load-principal.ts'
import { runUngated } from '../kernel/run-gated.ts'
import { changeEvent } from '../records/changes/change-event.ts'
import { readEventIds } from '../records/changes/event-ids.ts'
import { visibleChanges } from '../records/changes/visible-changes.ts'
import type { RecordDeps } from '../records/record-deps.ts'
import { done, outdated, retryOnStaleEpoch, type Turn } from '../records/retry-on-stale-epoch.ts'

/** A change that a webhook delivers, and with whose rights. */
export interface DeliveredChange {
  /** Sequence number in the log of changes. */
  readonly position: string
  readonly runAs: string
}

export type Payload =
  | { readonly kind: 'readable'; readonly json: string }
  /** The rights of the user do not cover anything of the change, or the log does not keep it. */
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'user-not-active' }

type Owner = LoadedPrincipal | undefined

/** Each time roles changed while the change was read. */
const MAX_TURNS = 50

/** What a delivery may carry now. Before each attempt, because a delivery may wait for days, and rights shrink meanwhile. */
export async function currentPayload(deps: RecordDeps, { position, runAs }: DeliveredChange): Promise<Payload> {
  const range = { after: String(BigInt(position) - 1n), upTo: position, max: 1, tables: null, operations: null }
  const load = (): Promise<Owner> => loadPrincipal(deps.database, runAs)
  const payload = await retryOnStaleEpoch(await load(), MAX_TURNS, async (owner): Promise<Turn<Owner, Payload>> => {
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
