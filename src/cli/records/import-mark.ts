import { randomUUID } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { jsonOf } from '../../kernel/json-of.ts'
import { StartFailure } from '../../kernel/start-failure.ts'

const Totals = z.object({ inserted: z.int(), updated: z.int(), skipped: z.int(), failed: z.int() })
export type Totals = z.infer<typeof Totals>

export const NOTHING: Totals = { inserted: 0, updated: 0, skipped: 0, failed: 0 }

export const added = (one: Totals, other: Totals): Totals => ({
  inserted: one.inserted + other.inserted,
  updated: one.updated + other.updated,
  skipped: one.skipped + other.skipped,
  failed: one.failed + other.failed,
})

/** The state of an import, kept beside its file until rows and files are in. */
const Mark = z.object({
  /** Part of the keys of its requests. */
  id: z.string(),
  /** The file and the options. */
  of: z.string(),
  /** Address. Absent: an older version has written the mark. */
  server: z.string().optional(),
  /** Rows that were sent, in the order of the file. */
  rows: z.int(),
  totals: Totals,
  /** Numbers of rows that wait for records further down in the file. They are sent in rounds. */
  waiting: z.array(z.int()).default([]),
  /** Requests of the rounds so far: part of the keys of these requests. */
  requests: z.int().default(0),
  /** Rows of this round that were rejected, with the messages. */
  rejected: z.array(z.tuple([z.int(), z.string()])).default([]),
  /** Whether this round has written a row: another round may write more. */
  hasWritten: z.boolean().default(false),
})
export type Mark = z.infer<typeof Mark>

export const newMark = (of: string, server: string): Mark => ({
  id: randomUUID(),
  of,
  server,
  rows: 0,
  totals: NOTHING,
  waiting: [],
  requests: 0,
  rejected: [],
  hasWritten: false,
})

/**
 * @returns null if there is none, or it belongs to another file or another import
 * @throws StartFailure if rows went to another server: this one has none of them
 */
export async function readMark(
  path: string,
  { of, server }: { readonly of: string; readonly server: string },
): Promise<Mark | null> {
  const text = await readFile(path, 'utf8').catch(() => '')
  const mark = Mark.safeParse(jsonOf(text)).data
  if (mark === undefined || mark.of !== of) return null
  if (mark.server === undefined || mark.server === server) return mark
  throw new StartFailure(
    `An import of this file into ${mark.server} was interrupted. Continue it with --server ${mark.server}, or begin at the first row with --again.`,
    { exitCode: 2 },
  )
}

export async function writeMark(path: string, mark: Mark): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(mark))
  await rename(`${path}.new`, path)
}
