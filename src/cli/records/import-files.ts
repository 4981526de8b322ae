import { createHash } from 'node:crypto'
import { createReadStream, openAsBlob } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { z } from 'zod'
import { readLines } from '../../bulk/read-lines.ts'
import { equalsText } from '../../condition/literal-checks.ts'
import { printEncodedQuery } from '../../condition/print-encoded-query.ts'
import { jsonOf } from '../../kernel/json-of.ts'
import { StartFailure } from '../../kernel/start-failure.ts'
import type { ServerClient } from '../documents/server-client.ts'
import { showProgress } from '../documents/show-progress.ts'
import { FileLine, LIST_OF_FILES } from './record-files.ts'

export interface FilesDone {
  readonly attached: number
  readonly failed: number
}

/**
 * Attaches the files of a folder. If it contains `files.ndjson`, the lines give the record of each file, and keep its sys_id, author and
 * time; otherwise the name of each subfolder is the number or the sys_id of a record, and it contains the record's files.
 *
 * @param name of the import: a file without a sys_id that is sent again under the same name is attached once
 */
export async function importFiles(
  client: ServerClient,
  { table, folder, name }: { readonly table: string; readonly folder: string; readonly name: string },
): Promise<FilesDone> {
  const progress = showProgress({ unit: 'files', total: null, out: process.stderr })
  const known = new Map<string, string | null>()
  let attached = 0
  let failed = 0
  try {
    for await (const line of linesOf(folder)) {
      const message = typeof line === 'string' ? line : await attach(client, { table, folder, line, known, name })
      if (message === null) attached += 1
      else {
        failed += 1
        progress.note(message)
      }
      progress.step(folder)
    }
  } finally {
    progress.end()
  }
  return { attached, failed }
}

/** Files, or a message about what is wrong with a line. */
async function* linesOf(folder: string): AsyncGenerator<FileLine | string> {
  const list = join(folder, LIST_OF_FILES)
  if (await stat(list).catch(() => null)) {
    for await (const { line, text } of readLines(createReadStream(list, 'utf8'), 100_000)) {
      const parsed = FileLine.safeParse(jsonOf(text))
      yield parsed.success ? parsed.data : `${list}, line ${line}: {"record","path","file_name"} is expected.`
    }
    return
  }
  const records = await readdir(folder, { withFileTypes: true }).catch(() => {
    throw new StartFailure(`${folder} cannot be read.`, { exitCode: 2 })
  })
  for (const record of records.filter((entry) => entry.isDirectory())) {
    for (const file of await readdir(join(folder, record.name), { withFileTypes: true })) {
      if (file.isFile()) yield { record: record.name, path: `${record.name}/${file.name}`, file_name: file.name }
    }
  }
}

interface Attaching {
  readonly table: string
  readonly folder: string
  readonly line: FileLine
  readonly name: string
  /** sys_ids of records by the name that the lines use. */
  readonly known: Map<string, string | null>
}

/** @returns the error; null: the file is attached */
async function attach(client: ServerClient, { table, folder, line, known, name }: Attaching): Promise<string | null> {
  const path = resolve(folder, line.path)
  const inside = relative(resolve(folder), path)
  if (inside === '..' || inside.startsWith(`..${sep}`)) return `${line.path}: it is not in the folder.`
  if (!(await stat(path).catch(() => null))?.isFile()) return `${line.path}: there is no such file.`
  if (!known.has(line.record)) known.set(line.record, await findRecord(client, table, line.record))
  const record = known.get(line.record) ?? null
  if (record === null) return `${line.path}: there is no record ${line.record} in ${table}.`
  const form = new FormData()
  for (const field of ['sys_id', 'sys_created_at', 'sys_created_by'] as const) {
    const value = line[field]
    if (value) form.set(field, value)
  }
  form.set('files[]', await openAsBlob(path), line.file_name)
  const to = `/v1/attachments/upload/${encodeURIComponent(table)}/${encodeURIComponent(record)}`
  const response = await client.send({
    method: 'POST',
    path: to,
    query: { migrate: '1' },
    headers: keyOf(line, name),
    body: form,
  })
  return response.ok ? null : `${line.path}: ${response.message}`
}

/** The server finds a file with a sys_id itself. */
function keyOf({ sys_id, record, path, file_name }: FileLine, name: string): Record<string, string> {
  if (sys_id) return {}
  const digest = createHash('sha256')
    .update(JSON.stringify([record, path, file_name]))
    .digest('base64url')
  return { 'idempotency-key': `${name}-${digest}` }
}

const Found = z.object({ data: z.array(z.object({ sys_id: z.string() })) })

/** By sys_id or number; a table may have no number, and a key of another type. */
async function findRecord(client: ServerClient, table: string, name: string): Promise<string | null> {
  for (const column of /^\d+$/.test(name) ? ['sys_id', 'number'] : ['number', 'sys_id']) {
    const query = {
      sysparm_query: printEncodedQuery({ where: equalsText([column], name), orders: [] }),
      sysparm_fields: 'sys_id',
      sysparm_limit: '2',
    }
    const response = await client.send({ method: 'GET', path: `/rest/v1/table/${encodeURIComponent(table)}`, query })
    const [first, second] = response.ok ? Found.parse(response.body).data : []
    if (first !== undefined && second === undefined) return first.sys_id
  }
  return null
}
