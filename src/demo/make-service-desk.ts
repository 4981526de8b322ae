import { makePeople, type Rows } from './make-people.ts'
import { makePlatformRows } from './make-platform-rows.ts'
import { makeTickets } from './make-tickets.ts'
import type { Ground } from './model.ts'
import { randomFrom } from './random.ts'

/** Any number gives a desk; this one is the published one. */
const demoSeed = 20_260_101

/**
 * A service desk that has been at work for 90 days, as rows of PostgreSQL tables, in the order in which references allow
 * them to be inserted. The same ground gives the same desk, letter by letter.
 */
export function makeServiceDesk(ground: Ground, passwordHashes: ReadonlyMap<string, string>): Rows {
  const random = randomFrom(demoSeed)
  const { staffing, rows } = makePeople(random, ground, passwordHashes)
  return { ...rows, ...makePlatformRows(ground, staffing), ...makeTickets(random, ground, staffing) }
}
