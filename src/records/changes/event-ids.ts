import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Database } from '../../database/database.ts'
import { sql } from '../../kernel/sql.ts'

/**
 * Ids that callers get instead of sequence numbers of the log. Sequence numbers count all writes, so the gaps between visible
 * ones would reveal how many changes are hidden, and the end of the log how many there are in all. An id is the sequence number
 * encrypted with a key that stays in the database: the same for the same change in every process, and without an order.
 */
export interface EventIds {
  /** The id of a change. */
  idOf(position: string): string
  /** An id to continue from that belongs to no change. It differs each time, so that it does not reveal whether anything happened. */
  markOf(position: string): string
  /** null: not an id of this database. */
  positionOf(id: string): string | null
}

export async function readEventIds(database: Database): Promise<EventIds> {
  const known = kept.get(database) ?? load(database)
  kept.set(database, known)
  return known
}

/** The key never changes. */
const kept = new WeakMap<Database, Promise<EventIds>>()

async function load(database: Database): Promise<EventIds> {
  try {
    const [row] = await database.rows<{ key: string }>(
      sql`select encode(key, 'base64') as key from docket_system.event_key`,
    )
    if (row === undefined) throw new Error('docket_system.event_key is empty: the migrations did not run to their end')
    return eventIds(Buffer.from(row.key, 'base64'))
  } catch (error) {
    kept.delete(database)
    throw error
  }
}

const MAGIC = 0x646b7431
const NO_MARK = Buffer.alloc(4)

/**
 * One block of AES: four bytes that distinguish ids of this database from any other text, four that are zero for a change and
 * random for a mark, and eight of the sequence number. Every block has a different sequence number, so a cipher without chaining
 * repeats nothing.
 *
 * @param key 32 bytes
 */
export function eventIds(key: Buffer): EventIds {
  const seal = (mark: Buffer, position: string): string => {
    const block = Buffer.alloc(16)
    block.writeUInt32BE(MAGIC, 0)
    mark.copy(block, 4)
    block.writeBigUInt64BE(BigInt(position), 8)
    const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
    return Buffer.concat([cipher.update(block), cipher.final()]).toString('base64url')
  }
  return {
    idOf: (position) => seal(NO_MARK, position),
    markOf: (position) => seal(randomBytes(4), position),
    positionOf(id) {
      if (!/^[\w-]{22}$/.test(id)) return null
      const decipher = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false)
      const block = Buffer.concat([decipher.update(Buffer.from(id, 'base64url')), decipher.final()])
      return block.readUInt32BE(0) === MAGIC ? String(block.readBigUInt64BE(8)) : null
    },
  }
}
