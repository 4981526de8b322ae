import { createHash } from 'node:crypto'
import { SYSTEM_COLUMNS, type Table } from '../catalog/catalog.ts'
import type { Problem } from '../kernel/problem.ts'

/**
 * What a dry run has to remember of the rows behind it, because nothing of them stays in the database: which keys the file has
 * brought already, and which values stand in columns that must be unique. A number of six bytes for each, so that a million
 * rows take some dozens of megabytes; more than a few millions do not fit into the time that one request may take.
 */
export interface SeenInFile {
  /** Whether a row with this key would have been made by now. */
  isKnown(key: string): boolean
  /**
   * Takes down a row that would be written.
   *
   * @param record tells its record from others: the key, or the line of a row without one
   * @returns why it would not be, because an earlier row of the file has a value that it may not share
   */
  note(record: string, values: Readonly<Record<string, unknown>>): Problem | null
}

/** @param hasKey of the import: without one, each row is a record of its own */
export function seenInFile(table: Table, hasKey: boolean): SeenInFile {
  const records = new Set<number>()
  const owners = new Map<number, number>()
  const unique = [...table.columns.values()].filter(
    (column) => column.name === table.keyColumn || (column.unique && !SYSTEM_COLUMNS.has(column.name)),
  )
  return {
    isKnown: (key) => records.has(digestOf('key', key)),
    note(record, values) {
      const owner = digestOf('key', record)
      const held = unique.flatMap(({ name }) => {
        const text = String(values[name] ?? '').toLowerCase()
        return text === '' ? [] : [{ name, value: digestOf(name, text) }]
      })
      const taken = held.find(({ value }) => (owners.get(value) ?? owner) !== owner)
      if (taken !== undefined) return { kind: 'not-unique', table: table.name, field: taken.name }
      if (hasKey) records.add(owner)
      for (const { value } of held) owners.set(value, owner)
      return null
    },
  }
}

const digestOf = (what: string, text: string): number =>
  createHash('sha1').update(`${what}\0${text}`).digest().readUIntBE(0, 6)
