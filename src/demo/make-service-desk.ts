import { makePeople } from './make-people.ts'
import { makePlatformRows } from './make-platform-rows.ts'
import { makeTickets, type Tickets } from './make-tickets.ts'
import type { Ground } from './model.ts'
import type { Rows } from './people-rows.ts'
import { randomFrom } from './random.ts'

/** Any number gives a desk; this one is the seed of the published desk. */
const demoSeed = 20_260_101

export interface ServiceDesk extends Pick<Tickets, 'changes' | 'files'> {
  /** In an order that references allow for inserts. */
  readonly rows: Rows
}

/**
 * A service desk with 90 days of work, as rows of PostgreSQL tables and files. The same ground gives exactly the same desk.
 *
 * @param withFiles whether files can be stored
 */
export function makeServiceDesk(
  ground: Ground,
  passwordHashes: ReadonlyMap<string, string>,
  withFiles: boolean,
): ServiceDesk {
  const random = randomFrom(demoSeed)
  const { staffing, rows } = makePeople(random, ground, passwordHashes)
  const tickets = makeTickets(random, ground, staffing, withFiles)
  return { ...tickets, rows: { ...rows, ...makePlatformRows(ground, staffing), ...tickets.rows } }
}
