import { makePeople } from './make-people.ts'
import { makePlatformRows } from './make-platform-rows.ts'
import { makeTickets, type Tickets } from './make-tickets.ts'
import type { Ground } from './model.ts'
import type { Rows } from './people-rows.ts'
import { randomFrom } from './random.ts'

/** Any number gives a desk; this one is the published one. */
const demoSeed = 20_260_101

export interface ServiceDesk extends Pick<Tickets, 'changes' | 'files'> {
  /** In the order in which references allow them to be inserted. */
  readonly rows: Rows
}

/**
 * A service desk that has been at work for 90 days, as rows of PostgreSQL tables and files. The same ground gives the same
 * desk, letter by letter.
 *
 * @param withFiles whether there is a place where files can be kept
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
