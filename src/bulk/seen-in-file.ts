import { createHash } from 'node:crypto'
import { type Column, SYSTEM_COLUMNS, type Table } from '../catalog/catalog.ts'
import { comparisonOf } from '../column-types/column-types.ts'
import type { Problem } from '../kernel/problem.ts'
import { equalText } from './equal-value.ts'

/**
 * What a dry run remembers about earlier rows, because the database keeps nothing of them: the keys of the file so far, and the
 * values of unique columns. Each takes a number of six bytes, so that a million rows take several dozen megabytes. More than a
 * few million rows exceed the time limit of a request.
 */
export interface SeenInFile {
  /** Whether an earlier row would have created a record with this key. */
  isKnown(key: string): boolean
  /**
   * Remembers a row that would be written.
   *
   * @param row `id` identifies its record: the key, or the line of a row without one; `isNew`: its record does not exist yet
   * @param storedText the value that the row would store in a column; null: it is empty
   * @returns the reason if the row would not be written: an earlier row of the file has the same unique value
   */
  addRow(
    row: { readonly id: string; readonly isNew: boolean },
    storedText: (column: Column) => string | null,
  ): Problem | null
}

/** @param hasKey whether the import has a key; without one, each row is a separate record */
export function seenInFile(table: Table, hasKey: boolean): SeenInFile {
  const records = new Set<number>()
  const owners = new Map<number, number>()
  const unique = [...table.columns.values()].filter(
    (column) => column.name === table.keyColumn || (column.unique && !SYSTEM_COLUMNS.has(column.name)),
  )
  // Unique texts of our own tables ignore case. A constraint of an adopted table is PostgreSQL's: it compares characters, unless the type is citext.
  const isExact = (column: Column): boolean =>
    table.adopted !== null && comparisonOf(column) === 'text' && column.storageCast?.endsWith('citext') !== true
  const textOf = (text: string, column: Column): string => (isExact(column) ? text : equalText(text, column))
  return {
    isKnown: (key) => records.has(digestOf('key', key)),
    addRow({ id, isNew }, storedText) {
      const owner = digestOf('key', id)
      const held = unique.flatMap((column) => {
        const text = storedText(column)
        return text === null ? [] : [{ name: column.name, value: digestOf(column.name, textOf(text, column)) }]
      })
      const taken = held.find(({ value }) => (owners.get(value) ?? owner) !== owner)
      if (taken !== undefined) return { kind: 'not-unique', table: table.name, field: taken.name }
      // A record that is in the database is found there also for the next row with its key.
      if (hasKey && isNew) records.add(owner)
      for (const { value } of held) owners.set(value, owner)
      return null
    },
  }
}

const digestOf = (what: string, text: string): number =>
  createHash('sha1').update(`${what}\0${text}`).digest().readUIntBE(0, 6)
