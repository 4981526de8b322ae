import { appendFileSync, chmodSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adoptSchema } from '../../../src/adopt/adopt-schema.ts'
import { migrate } from '../../../src/database/migrations.ts'
import { defaultLimits } from '../../../src/doctor/check.ts'
import { type Line, linesOf } from '../../../src/doctor/describe-reports.ts'
import { examine, type Wish } from '../../../src/doctor/examine.ts'
import { type FaultName, faults } from '../../../src/doctor/faults.ts'
import { loadFile, loadText } from '../../../src/documents/load-document.ts'
import { blobPath, receiveFile } from '../../../src/documents/store/blob-store.ts'
import { recordFileStore } from '../../../src/documents/store/file-stores.ts'
import { inRussian } from '../../../src/http/response/russian-error-details.ts'
import { createUser } from '../../../src/identity/manage-users.ts'
import { runJobs } from '../../../src/jobs/run-queued-jobs.ts'
import { openWorker } from '../../../src/jobs/worker-number.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { observeNothing } from '../../../src/telemetry/observation.ts'
import { documentAdmin, openDocumentDeps } from '../../harness/document-deps.ts'
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts'
import { temporaryFolder } from '../../harness/spawn-docket.ts'

/** A stopped installation, broken in one way at a time and repaired again (issue 8, C2). */

const dataDir = temporaryFolder(0o700)
const ADMIN = '155931135900000001'
let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
  const deps = await openDocumentDeps(fresh, { dataDir })
  const sent = { collectionName: 'kb', metadata: { doc_id: 'note' }, text: 'toner' }
  expect((await loadText(deps, documentAdmin, sent)).ok).toBe(true)
  const received = await receiveFile(Readable.from([Buffer.from('A file.')]), join(dataDir, 'uploads'), 1e6)
  const file = { collectionName: 'kb', metadata: { doc_id: 'file' }, fileName: 'file.txt' }
  expect((await loadFile(deps, documentAdmin, file, received)).ok).toBe(true)
  rmSync(received.path)
  await deps.close()
  // Folders that a server creates.
  mkdirSync(join(dataDir, 'attachments'), { recursive: true })
  for (const name of ['files', 'uploads', 'index', 'attachments']) chmodSync(join(dataDir, name), 0o700)
})
afterAll(() => fresh.drop())

type More = Partial<Omit<Wish, 'environment'>> & {
  /** Settings in addition to, or instead of, those of the installation. */
  readonly environment?: Readonly<Record<string, string | undefined>>
}

async function doctor({ environment, ...more }: More = {}): Promise<readonly Line[]> {
  const own = { DOCKET_DATABASE_URL: fresh.connectionString, DOCKET_DATA_DIR: dataDir }
  return linesOf(
    await examine({
      environment: { ...own, ...environment },
      limits: defaultLimits,
      clock: systemClock,
      freeBytes: async () => Number.MAX_SAFE_INTEGER,
      isThorough: false,
      ...more,
    }),
  )
}

const namesOf = (lines: readonly Line[]) => [...new Set(lines.flatMap(({ fault }) => fault ?? []))]

test('finds nothing where nothing is wrong, thorough or not', async () => {
  for (const isThorough of [false, true]) {
    const lines = await doctor({ isThorough })
    expect(lines.filter(({ status }) => status !== 'ok')).toEqual([])
    expect(lines.find(({ check }) => check === 'documents')?.message).toBe('2 documents, 2 chunks')
  }
})

interface Scenario {
  readonly fault: FaultName
  /** Breaks something; returns options to add to the call, and the repair. */
  readonly make: () => Promise<More & { readonly repair?: () => Promise<unknown> }>
  /** Contained in the line. */
  readonly says: string
}

const run = (statement: ReturnType<typeof sql>) => fresh.database.rows(statement)
const environment = (given: Readonly<Record<string, string | undefined>>) => async () => ({ environment: given })
const broken = (breaks: ReturnType<typeof sql>, repairs: ReturnType<typeof sql>) => async () => {
  await run(breaks)
  return { repair: () => run(repairs) }
}
const urlWith = (change: (url: URL) => void): string => {
  const url = new URL(fresh.connectionString)
  change(url)
  return url.href
}
const without = { DOCKET_DATABASE_URL: undefined }

async function pathOfFile(): Promise<string> {
  const [row] = (await run(sql`
    select encode(blob_hash, 'hex') as hash from docket_documents.document where doc_id = 'file'`)) as {
    hash: string
  }[]
  return join(dataDir, 'files', blobPath(Buffer.from(row?.hash ?? '', 'hex')))
}

const addLoad = (docId: string, state: string) =>
  broken(
    sql`insert into docket_documents.load (collection_id, doc_id, state, blob_hash, size, metadata, asked_by, asked_at, leased_until)
      select collection_id, ${docId}, ${state}, blob_hash, size, '{}', 1, '2020-01-01', '2020-01-01'
      from docket_documents.document where doc_id = 'file'`,
    sql`delete from docket_documents.load where doc_id = ${docId}`,
  )

/** A database that Docket did not create, for one scenario. */
async function otherDatabase(name: string, options: string, fill: string) {
  const database = `${new URL(fresh.connectionString).pathname.slice(1)}_${name}`
  const on = async (url: string, text: string): Promise<void> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      for (const statement of text.split(';;')) await client.query(statement)
    } finally {
      await client.end()
    }
  }
  const url = urlWith((each) => {
    each.pathname = `/${database}`
  })
  await on(fresh.connectionString, `create database "${database}" template template0 ${options}`)
  if (fill !== '') await on(url, fill.replaceAll('DATABASE', `"${database}"`))
  return {
    environment: { DOCKET_DATABASE_URL: url },
    repair: () => on(fresh.connectionString, `drop database "${database}"`),
  }
}

const scenarios: readonly Scenario[] = [
  {
    fault: 'settings-wrong',
    make: environment({ DOCKET_PORT: 'http', DOCKET_SECRET_KEY: 'too short a secret' }),
    says: 'DOCKET_PORT is "http"',
  },
  {
    fault: 'base-url-contradicts',
    make: environment({ DOCKET_BASE_URL: 'https://192.0.2.1' }),
    says: 'DOCKET_TRUSTED_PROXIES',
  },
  {
    fault: 'data-directory-unwritable',
    make: async () => {
      const file = join(temporaryFolder(), 'file')
      writeFileSync(file, '')
      return { environment: { ...without, DOCKET_DATA_DIR: join(file, 'data') } }
    },
    says: 'ENOTDIR',
  },
  {
    fault: 'data-directory-open',
    make: async () => ({ environment: { ...without, DOCKET_DATA_DIR: temporaryFolder(0o755) } }),
    says: 'chmod 700 ',
  },
  {
    fault: 'disk-nearly-full',
    make: async () => ({ freeBytes: async () => 5 * 1_048_576 }),
    says: '5 MB free, less than 1024 MB',
  },
  {
    fault: 'database-unreachable',
    make: environment({ DOCKET_DATABASE_URL: 'postgres://docket:very-secret@127.0.0.1:1/desk' }),
    says: '127.0.0.1:1 cannot be reached',
  },
  {
    fault: 'database-refuses-login',
    make: async () => ({
      environment: {
        DOCKET_DATABASE_URL: urlWith((url) => {
          url.username = 'nobody_at_all'
          url.password = 'very-secret'
        }),
      },
    }),
    says: 'does not let the user nobody_at_all in',
  },
  {
    fault: 'postgresql-too-old',
    make: () =>
      otherDatabase(
        'old',
        '',
        `create schema older;; create function older.current_setting(text) returns text language sql
           as $$select case $1 when 'server_version' then '13.9' when 'server_version_num' then '130009' else pg_catalog.current_setting($1) end$$;;
         alter database DATABASE set search_path = older, pg_catalog`,
      ),
    says: 'PostgreSQL 13.9, but Docket needs 14 or newer',
  },
  {
    fault: 'database-not-utf8',
    make: () => otherDatabase('ascii', `encoding 'SQL_ASCII' locale 'C' locale_provider 'libc'`, ''),
    says: 'SQL_ASCII',
  },
  {
    fault: 'trigrams-missing',
    make: broken(sql`drop extension pg_trgm cascade`, sql`create extension pg_trgm with schema public`),
    says: 'CREATE EXTENSION pg_trgm',
  },
  {
    fault: 'trigrams-without-letters',
    make: async () => {
      const made = await otherDatabase('latin', `lc_ctype 'C'`, '')
      const connectionString = made.environment.DOCKET_DATABASE_URL
      await migrate({ connectionString, observe: observeNothing })
      return made
    },
    says: 'are not Latin',
  },
  {
    fault: 'restore-unfinished',
    make: broken(
      sql.raw(`do $$ begin create schema docket_restore; create table docket_restore.state (source text, started_at timestamp);
        insert into docket_restore.state values ('desk.backup', '2026-01-01 00:00'); end $$`),
      sql`drop schema docket_restore cascade`,
    ),
    says: 'docket restore --cancel',
  },
  {
    fault: 'schema-behind',
    make: async () => {
      const [row] = await run(sql`
        delete from docket_system.migration where name = (select max(name) from docket_system.migration) returning name, checksum`)
      const { name, checksum } = row as { name: string; checksum: string }
      return {
        repair: () => run(sql`insert into docket_system.migration (name, checksum) values (${name}, ${checksum})`),
      }
    },
    says: 'The schema is 1 migration behind',
  },
  {
    fault: 'schema-ahead',
    make: broken(
      sql`insert into docket_system.migration (name, checksum) values ('999999_later', '')`,
      sql`delete from docket_system.migration where name = '999999_later'`,
    ),
    says: 'newer Docket',
  },
  {
    fault: 'migration-changed',
    make: broken(
      sql`update docket_system.migration set checksum = checksum || 'x' where name = '000001'`,
      sql`update docket_system.migration set checksum = left(checksum, -1) where name = '000001'`,
    ),
    says: 'migrations/000001.sql was changed',
  },
  {
    fault: 'clock-differs',
    make: async () => ({ clock: { nowMs: () => Date.now() - 3_600_000 } }),
    says: '3600 s ahead of',
  },
  {
    fault: 'demo-users-exposed',
    make: async () => {
      const user = { displayName: null, email: null, language: 'en', timeZone: 'UTC', roles: [] } as const
      const made = await createUser(fresh.database, { ...user, userName: 'john.smith', password: 'demo-john-4820' })
      expect(made.ok).toBe(true)
      return { environment: { DOCKET_HOST: '0.0.0.0' } }
    },
    says: 'john.smith',
  },
  {
    fault: 'table-without-rules',
    make: async () => {
      await run(sql`select docket_system.define_table('garden', 'Garden', 'Сад')`)
      await run(sql`update docket.sys_db_table set sys_created_by = ${ADMIN}::bigint where name = 'garden'`)
      return {
        repair: () => run(sql`insert into docket.sys_security_acl (operation, table_name) values ('read', 'garden')`),
      }
    },
    says: 'garden',
  },
  {
    fault: 'rule-broken',
    make: broken(
      sql`insert into docket.sys_security_acl (operation, table_name, column_name) values ('read', 'task', 'colour')`,
      sql`delete from docket.sys_security_acl where column_name = 'colour'`,
    ),
    says: 'there is no column colour in task',
  },
  {
    fault: 'rule-broken',
    make: broken(
      sql`insert into docket.sys_security_acl (operation, table_name, roles) values ('read', 'task', '{4711}')`,
      sql`delete from docket.sys_security_acl where roles = '{4711}'`,
    ),
    says: 'there is no role 4711',
  },
  {
    fault: 'rule-broken',
    make: broken(
      sql`insert into docket.sys_security_acl (operation, table_name, condition) values ('read', 'task', 'colour=red')`,
      sql`delete from docket.sys_security_acl where condition = 'colour=red'`,
    ),
    says: 'colour',
  },
  {
    fault: 'view-broken',
    make: broken(
      sql`with form as (insert into docket.sys_ui_form (title, table_id) select 'Short', sys_id from docket.sys_db_table where name = 'task' returning sys_id),
        section as (insert into docket.sys_ui_form_section (form_id) select sys_id from form returning sys_id)
        insert into docket.sys_ui_form_element (section_id, column_name) select sys_id, 'caller.colour' from section`,
      sql`delete from docket.sys_ui_form_element where column_name = 'caller.colour'`,
    ),
    says: 'caller.colour',
  },
  {
    fault: 'filter-broken',
    make: broken(
      sql`insert into docket.sys_filter (title, table_id, condition) select 'Red ones', sys_id, 'colour=red' from docket.sys_db_table where name = 'task'`,
      sql`delete from docket.sys_filter where title = 'Red ones'`,
    ),
    says: 'filter Red ones of task',
  },
  {
    fault: 'adopted-table-drifted',
    make: async () => {
      await run(sql.raw('create schema stock'))
      await run(sql.raw('create table stock.part (id bigint primary key, name text, weight integer)'))
      const wanted = { schema: 'stock', tables: null, keys: new Map(), isDryRun: false }
      const adopted = await adoptSchema(fresh.database, { ...wanted, grants: [{ operation: 'read', role: 'itil' }] })
      expect(adopted.ok).toBe(true)
      expect(namesOf(await doctor())).toEqual([])
      await run(sql.raw('alter table stock.part drop column weight'))
      return { repair: () => run(sql.raw('alter table stock.part add column weight integer')) }
    },
    says: 'part.weight is gone',
  },
  {
    fault: 'job-dead',
    make: async () => {
      const jobs = await runJobs(
        {},
        { connectionString: fresh.connectionString, concurrency: 1, observe: () => undefined },
      )
      await jobs.stop()
      await run(sql`select graphile_worker.add_job('water_the_garden', '{}')`)
      await run(sql`update graphile_worker._private_jobs set attempts = max_attempts`)
      return { repair: () => run(sql`delete from graphile_worker._private_jobs`) }
    },
    says: 'water_the_garden (job ',
  },
  { fault: 'lease-stale', make: addLoad('slow', 'extracting'), says: 'kb: slow' },
  { fault: 'load-failed', make: addLoad('bad', 'failed'), says: 'kb: bad' },
  {
    fault: 'follow-failed',
    make: broken(
      sql`insert into docket_documents.follow (collection_id, table_name, query, template, metadata_columns, exposed_columns, signature, followed_by, position, error, updated_at)
        select id, 'task', '', '{subject}', '{}', '{}', '', 1, 0, 'the record 7 cannot be read', '2026-01-01' from docket_documents.collection where name = 'kb'`,
      sql`delete from docket_documents.follow`,
    ),
    says: 'kb (the record 7 cannot be read)',
  },
  {
    fault: 'file-missing',
    make: async () => {
      const path = await pathOfFile()
      renameSync(path, `${path}.away`)
      return { repair: async () => renameSync(`${path}.away`, path) }
    },
    says: 'kb: file (',
  },
  {
    fault: 'file-missing',
    make: broken(
      sql`insert into docket.sys_attachment (file_name, table_id, record_id, size_bytes, hash)
        select 'probe.log', sys_id, '1', 7, repeat('ab', 32) from docket.sys_db_table where name = 'task'`,
      sql`delete from docket.sys_attachment`,
    ),
    says: 'task: probe.log (abab',
  },
  {
    fault: 'file-damaged',
    make: async () => {
      const path = await pathOfFile()
      appendFileSync(path, '!')
      return { repair: async () => writeFileSync(path, 'A file.') }
    },
    says: 'kb: file (',
  },
  {
    fault: 'file-damaged',
    make: async () => {
      const path = await pathOfFile()
      writeFileSync(path, 'A filE.')
      expect(namesOf(await doctor())).toEqual([])
      return { isThorough: true, repair: async () => writeFileSync(path, 'A file.') }
    },
    says: 'kb: file (',
  },
  ...(['files', 'attachments'] as const).map(
    (folder): Scenario => ({
      fault: 'file-orphaned',
      make: async () => {
        const path = join(dataDir, folder, blobPath(Buffer.from('cd'.repeat(32), 'hex')))
        mkdirSync(join(path, '..'), { recursive: true })
        writeFileSync(path, 'whose?')
        utimesSync(path, 1_000, 1_000)
        return { repair: async () => rmSync(path) }
      },
      says: 'cd'.repeat(32),
    }),
  ),
  {
    fault: 'file-stores-differ',
    make: async () => {
      const workers = [
        await openWorker(fresh.database, () => undefined),
        await openWorker(fresh.database, () => undefined),
      ]
      for (const { ownNumber } of workers) await recordFileStore(fresh.database, ownNumber, `store ${ownNumber}`)
      return { repair: () => Promise.all(workers.map((worker) => worker.close())) }
    },
    says: '2 file stores',
  },
  {
    fault: 'document-incomplete',
    make: broken(
      sql`update docket_documents.document set chunk_count = chunk_count + 1 where doc_id = 'note'`,
      sql`update docket_documents.document set chunk_count = chunk_count - 1 where doc_id = 'note'`,
    ),
    says: 'kb: note',
  },
  {
    fault: 'index-differs',
    make: async () => {
      const note = sql`(select id from docket_documents.document where doc_id = 'note')`
      await run(sql`update docket_documents.chunk set text = 'modem' where document_id = ${note}`)
      return {
        isThorough: true,
        repair: () => run(sql`update docket_documents.chunk set text = 'toner' where document_id = ${note}`),
      }
    },
    says: 'kb: note',
  },
  {
    fault: 'webhook-without-owner',
    make: broken(
      sql`insert into docket.sys_webhook (name, url, active) values ('Chat', 'https://192.0.2.1/', true)`,
      sql`update docket.sys_webhook set run_as = ${ADMIN}::bigint`,
    ),
    says: 'Chat (sys_webhook ',
  },
  {
    fault: 'delivery-dead',
    make: broken(
      sql`insert into docket.sys_webhook_delivery (webhook, event_id, state) select sys_id, 1, 'dead' from docket.sys_webhook`,
      sql`delete from docket.sys_webhook_delivery`,
    ),
    says: 'Chat (1)',
  },
  {
    fault: 'events-held-back',
    make: async () => {
      const client = new pg.Client({ connectionString: fresh.connectionString, application_name: 'a long import' })
      await client.connect()
      await client.query('begin')
      await client.query('select docket_system.take_position()')
      return { limits: { ...defaultLimits, openTransactionMs: 0 }, repair: () => client.end() }
    },
    says: 'a long import',
  },
  {
    fault: 'check-failed',
    make: environment({
      DOCKET_S3_ENDPOINT: 'http://127.0.0.1:1',
      DOCKET_S3_BUCKET: 'desk',
      DOCKET_S3_ACCESS_KEY_ID: 'desk',
      DOCKET_S3_SECRET_ACCESS_KEY: 'very-secret',
    }),
    says: 'The check could not be finished',
  },
]

/** No server runs with these, so that no page displays them. */
const beforeStart: ReadonlySet<FaultName> = new Set([
  'settings-wrong',
  'database-unreachable',
  'database-refuses-login',
  'postgresql-too-old',
  'database-not-utf8',
])

test.each(scenarios)('$fault is named with its cure: $says', async ({ fault, make, says }) => {
  const { repair, ...more } = await make()
  try {
    const lines = await doctor(more)
    expect(namesOf(lines)).toEqual([fault])
    const line = lines.find((each) => each.fault === fault)
    expect(`${line?.message} | ${line?.where} | ${line?.cure}`).toContain(says)
    expect(line?.status).toBe(faults[fault])
    if (!beforeStart.has(fault)) {
      expect(inRussian(line?.message ?? '')).toMatch(/[А-Яа-яё]/)
      if (!/^(docket documents|chmod) /.test(line?.cure ?? '')) expect(inRussian(line?.cure ?? '')).toMatch(/[а-яё]/)
    }
    expect(JSON.stringify(lines)).not.toMatch(/very-secret|too short a secret/)
  } finally {
    await repair?.()
  }
  expect(namesOf(await doctor())).toEqual([])
})

test('each fault is made by a test', () => {
  expect(new Set(scenarios.map(({ fault }) => fault))).toEqual(new Set(Object.keys(faults)))
})
