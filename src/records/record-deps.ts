import { LRUCache } from 'lru-cache'
import { type Access, accessOf } from '../acl/decide.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { type CatalogSource, catalogSource } from '../catalog/catalog-source.ts'
import type { Database } from '../database/database.ts'
import type { Principal } from '../identity/principal.ts'
import type { Clock } from '../kernel/clock.ts'
import { createSemaphore, type Semaphore } from '../kernel/semaphore.ts'
import type { LaggingReads } from './lagging-reads.ts'
import type { Seal } from './run/encrypt-text.ts'
import type { PreparedPlan } from './run/prepare-plan.ts'
import { SlowRequests } from './slow/slow-requests.ts'
import { TextSamples } from './text-samples.ts'

/** Dependencies of the record service; app.ts creates them once. */
export interface RecordDeps {
  readonly database: Database
  readonly catalog: CatalogSource
  readonly clock: Clock
  /** null: all reads go to the primary. */
  readonly lagging: LaggingReads | null
  /** For `encrypted` columns; null: they cannot be written. */
  readonly seal: Seal | null
  /** Changes of the dictionary exclude each other in the database. Here they wait without holding a connection. */
  readonly dictionaryMutex: Semaphore
  /** Shapes of requests whose statements were slow. */
  readonly slow: SlowRequests
  /** Which parts of patterns are frequent. */
  readonly samples: TextSamples
  /** What the rules allow to the caller's roles; cached with the snapshot. */
  accessFor(catalog: Catalog, principal: Principal): Access
  /** An LRU cache of the snapshot's plans, by plan key. */
  plansFor(catalog: Catalog): LRUCache<string, PreparedPlan>
}

/** A plan with its statement takes about 50 KB. If a process sees more shapes than this, it sees most of them only once. */
const MAX_PLANS = 1_000
/** Sets of roles that are in use. An organisation has dozens; API keys with some of a user's roles add some. */
const MAX_ROLE_SETS = 1_000

/** Each change takes about ten milliseconds. A caller behind a longer queue should rather retry later. */
const MAX_WAITING_CHANGES = 200

export function createRecordDeps(parts: {
  readonly database: Database
  readonly clock: Clock
  readonly seal?: Seal | null
  readonly lagging?: LaggingReads | null
  /** Statements that take at least this long are slow; absent: none is. */
  readonly slowMs?: number
}): RecordDeps {
  // Both are dropped together with their snapshot.
  const accesses = new WeakMap<Catalog, LRUCache<string, Access>>()
  const plans = new WeakMap<Catalog, LRUCache<string, PreparedPlan>>()
  return {
    database: parts.database,
    catalog: catalogSource(parts.database),
    clock: parts.clock,
    lagging: parts.lagging ?? null,
    seal: parts.seal ?? null,
    slow: new SlowRequests(parts.database, parts.slowMs ?? Number.POSITIVE_INFINITY),
    samples: new TextSamples(parts.database, parts.clock),
    dictionaryMutex: createSemaphore({ atOnce: 1, waiting: MAX_WAITING_CHANGES }),
    accessFor(snapshot, principal) {
      const known = kept(accesses, snapshot, MAX_ROLE_SETS)
      const before = known.get(principal.roleKey)
      if (before !== undefined) return before
      const access = accessOf(snapshot, principal.roles)
      known.set(principal.roleKey, access)
      return access
    },
    plansFor: (snapshot) => kept(plans, snapshot, MAX_PLANS),
  }
}

function kept<T extends object>(
  bySnapshot: WeakMap<Catalog, LRUCache<string, T>>,
  snapshot: Catalog,
  max: number,
): LRUCache<string, T> {
  const known = bySnapshot.get(snapshot)
  if (known !== undefined) return known
  const fresh = new LRUCache<string, T>({ max })
  bySnapshot.set(snapshot, fresh)
  return fresh
}
