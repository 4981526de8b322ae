import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { type Adoption, adoptSchema, type WantedAdoption } from '../../../src/adopt/adopt-schema.ts'
import { createUser } from '../../../src/identity/manage-users.ts'
import type { StartDocketOptions } from '../../harness/start-docket.ts'
import { type DictionaryDesk, openDesk } from '../dictionary/dictionary-desk.ts'

/** A server on a database that also has a schema of another owner. */
export interface AdoptionDesk extends DictionaryDesk {
  adopt(more?: Partial<WantedAdoption>): Promise<Adoption>
  /** Runs SQL as the owner of the tables, without Docket. */
  run(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>
  /** Sends a request as a user with only the role `user`. */
  asUser(line: string, body?: unknown): ReturnType<DictionaryDesk['send']>
}

export async function openAdoptionDesk(schema: string, options: StartDocketOptions = {}): Promise<AdoptionDesk> {
  const desk = await openDesk(options)
  const { docket } = desk
  const run: AdoptionDesk['run'] = async (text) => {
    const client = new pg.Client({ connectionString: docket.connectionString })
    await client.connect()
    try {
      const result = await client.query(text)
      return result.rows ?? []
    } finally {
      await client.end()
    }
  }
  await run(readFileSync(fileURLToPath(new URL(`../../fixtures/adoption/${schema}.sql`, import.meta.url)), 'utf8'))
  const reader = { user: 'reader', password: 'reader-password-1' }
  const made = await createUser(docket.database, {
    userName: reader.user,
    displayName: null,
    email: null,
    language: 'en',
    timeZone: 'UTC',
    roles: ['user'],
    password: reader.password,
  })
  if (!made.ok) throw new Error(JSON.stringify(made.error))
  return {
    ...desk,
    run,
    adopt: async (more = {}) => {
      const wanted = { schema, tables: null, keys: new Map(), grants: [], isDryRun: false, ...more }
      const adoption = await adoptSchema(docket.database, wanted)
      if (!adoption.ok) throw new Error(JSON.stringify(adoption.error))
      return adoption.value
    },
    asUser: (line, body) => {
      const [method = '', ...path] = line.split(' ')
      return docket.request(method, path.join(' '), { as: reader, ...(body === undefined ? {} : { body }) })
    },
  }
}

/** Everything that PostgreSQL's catalog has about the tables of a schema. An adoption must not change it. */
export const shapeOf = (schema: string): string => `
  select c.relname, c.relkind, a.attname, a.atttypid, a.attnotnull, a.atthasdef,
    (select json_agg(k.conname order by k.conname) from pg_constraint k where k.conrelid = c.oid or k.confrelid = c.oid) as constraints,
    (select json_agg(i.indexrelid order by i.indexrelid) from pg_index i where i.indrelid = c.oid) as indexes,
    (select count(*)::integer from pg_trigger t where t.tgrelid = c.oid) as triggers,
    (select count(*)::integer from pg_depend d where d.refobjid = c.oid) as dependents
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
  where c.relnamespace = '${schema}'::regnamespace order by c.relname, a.attnum`
