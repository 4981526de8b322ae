import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'

/** A file of `migrations/functions/`: one PostgreSQL function, as `create or replace function`. */
export interface FunctionFile {
  /** Schema and name of the function. */
  readonly name: string
  readonly text: string
  /** SHA-256 of the text, hexadecimal. */
  readonly checksum: string
}

/** @param folder of the migrations; it may contain no functions */
export function readFunctionFiles(folder: string): readonly FunctionFile[] {
  const functions = join(folder, 'functions')
  if (!existsSync(functions)) return []
  return readdirSync(functions)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      const text = readFileSync(join(functions, file), 'utf8').replaceAll('\r\n', '\n')
      return { name: file.slice(0, -'.sql'.length), text, checksum: createHash('sha256').update(text).digest('hex') }
    })
}

/** The files that the database has not applied, or has applied with another text. */
export async function waitingFunctions(
  client: pg.Client,
  files: readonly FunctionFile[],
): Promise<readonly FunctionFile[]> {
  const found = await client.query<{ is_there: boolean }>(
    `select to_regclass('docket_system.function_file') is not null as is_there`,
  )
  if (found.rows[0]?.is_there !== true) return files
  const { rows } = await client.query<Omit<FunctionFile, 'text'>>(
    'select name, checksum from docket_system.function_file',
  )
  const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]))
  return files.filter(({ name, checksum }) => applied.get(name) !== checksum)
}

/**
 * Applies the changed files in one transaction. It runs after the migrations, so a function may use all tables and columns.
 *
 * @returns the names of the functions that were replaced
 */
export async function applyFunctions(client: pg.Client, files: readonly FunctionFile[]): Promise<readonly string[]> {
  const waiting = await waitingFunctions(client, files)
  if (waiting.length === 0) return []
  try {
    // Functions call each other, in any order.
    await client.query('begin; set local search_path = pg_catalog; set local check_function_bodies = off')
    await client.query(
      'create table if not exists docket_system.function_file (name text primary key, checksum text not null)',
    )
    for (const { name, text, checksum } of waiting) {
      await client.query(text).catch((error: unknown) => {
        const message = error instanceof Error ? error.message : String(error)
        throw new Error(`the function ${name} cannot be applied: ${message}`, { cause: error })
      })
      await client.query(
        `insert into docket_system.function_file (name, checksum) values ($1, $2)
         on conflict (name) do update set checksum = excluded.checksum`,
        [name, checksum],
      )
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
  return waiting.map(({ name }) => name)
}
