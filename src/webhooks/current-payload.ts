import { loadPrincipal } from '../identity/load-principal.ts'
import { runUngated } from '../kernel/run-gated.ts'
import { changeEvent } from '../records/changes/change-event.ts'
import { readEventIds } from '../records/changes/event-ids.ts'
import { visibleChanges } from '../records/changes/visible-changes.ts'
import type { RecordRoom } from '../records/record-room.ts'

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

/** Each time roles changed while the change was read. */
const MAX_TURNS = 50

/** What a delivery may carry now. Before each attempt, because a delivery may wait for days, and rights shrink meanwhile. */
export async function currentPayload(room: RecordRoom, { position, runAs }: DeliveredChange): Promise<Payload> {
  const range = { after: String(BigInt(position) - 1n), upTo: position, most: 1, tables: null, operations: null }
  for (let turn = 1; turn <= MAX_TURNS; turn += 1) {
    const holder = await loadPrincipal(room.database, runAs)
    if (!holder?.isActive) return { kind: 'user-not-active' }
    const { principal, identityEpoch } = holder
    const page = await visibleChanges(room, { ...range, principal, identityEpoch, run: runUngated })
    if (page.kind === 'identity-changed') continue
    const [change] = page.changes
    if (change === undefined) return { kind: 'unreadable' }
    return { kind: 'readable', json: JSON.stringify(changeEvent(change, await readEventIds(room.database))) }
  }
  throw new Error('roles change faster than a delivery can be read')
}
