import { createWriteStream } from 'node:fs'
import { mkdir, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { z } from 'zod'
import { readLines } from '../../bulk/read-lines.ts'
import { allOf } from '../../condition/combine-conditions.ts'
import type { ConditionComparison } from '../../condition/condition-tree.ts'
import { isOneOf } from '../../condition/literal-checks.ts'
import { printEncodedQuery } from '../../condition/print-encoded-query.ts'
import { StartFailure } from '../../kernel/start-failure.ts'
import type { ServerClient } from '../documents/server-client.ts'
import { cannotWrite } from '../output-file.ts'
import { type FileLine, LIST_OF_FILES } from './record-files.ts'

/** Records whose files are listed at once. */
const recordsAtOnce = 200
/** Rows of sys_attachment a page. */
const filesAtOnce = 1_000

/**
 * Writes the files of the records that a query matches: each into a folder of its record, and `files.ndjson` with their rows of
 * sys_attachment. A file that an earlier run wrote is not fetched again.
 */
export async function exportFiles(
  client: ServerClient,
  { table, query, folder }: { readonly table: string; readonly query: string; readonly folder: string },
): Promise<number> {
  await mkdir(folder, { recursive: true }).catch((error: unknown) => cannotWrite(folder, error))
  const list = join(folder, LIST_OF_FILES)
  let count = 0
  const lines = async function* (): AsyncGenerator<string> {
    for await (const ids of idsOf(client, { table, query })) {
      for await (const file of filesOf(client, table, ids)) {
        yield `${JSON.stringify(await fetchFile(client, folder, file))}\n`
        count += 1
      }
    }
  }
  await pipeline(lines, createWriteStream(`${list}.part`))
  await rename(`${list}.part`, list)
  return count
}

async function* idsOf(
  client: ServerClient,
  { table, query }: { readonly table: string; readonly query: string },
): AsyncGenerator<readonly string[]> {
  const response = await client.download({
    method: 'GET',
    path: `/rest/v1/export/${encodeURIComponent(table)}`,
    query: { format: 'ndjson', sysparm_query: query, sysparm_fields: 'sys_id' },
  })
  const text = Readable.fromWeb(response.body as ReadableStream<Uint8Array>).setEncoding('utf8')
  let ids: string[] = []
  for await (const { text: line } of readLines(text, 1_000)) {
    ids.push(String((JSON.parse(line) as { readonly sys_id: unknown }).sys_id))
    if (ids.length < recordsAtOnce) continue
    yield ids
    ids = []
  }
  if (ids.length > 0) yield ids
}

const Attachment = z.object({
  sys_id: z.string(),
  file_name: z.string(),
  record_id: z.string(),
  size_bytes: z.coerce.number(),
  sys_created_at: z.string().nullable(),
  sys_created_by: z.string().nullable(),
})
type Attachment = z.infer<typeof Attachment>
const Listed = z.object({ data: z.array(Attachment) })

async function* filesOf(client: ServerClient, table: string, ids: readonly string[]): AsyncGenerator<Attachment> {
  const ofTable: ConditionComparison = {
    kind: 'comparison',
    path: ['table_id'],
    operator: 'INSTANCEOF',
    value: { kind: 'name', name: table },
    position: 0,
  }
  const where = allOf([isOneOf(['record_id'], ids), ofTable])
  const orders = ['record_id', 'sys_id'].map((name) => ({ path: [name], direction: 'ascending' as const, position: 0 }))
  for (let page = 1; ; page += 1) {
    const response = await client.send({
      method: 'POST',
      path: '/rest/v1/table/sys_attachment/query',
      query: {},
      body: {
        sysparm_query: printEncodedQuery({ where, orders }),
        sysparm_fields: Object.keys(Attachment.shape).join(','),
        sysparm_exclude_reference_link: '1',
        sysparm_no_count: '1',
        sysparm_limit: String(filesAtOnce),
        sysparm_page: String(page),
      },
    })
    if (!response.ok) throw new StartFailure(response.message)
    const { data } = Listed.parse(response.body)
    yield* data
    // The server may send fewer than requested (rest.limit.max).
    if (data.length === 0) return
  }
}

async function fetchFile(client: ServerClient, folder: string, file: Attachment): Promise<FileLine> {
  const { sys_id, file_name, record_id: record, sys_created_at, sys_created_by, size_bytes } = file
  // A name may contain characters that file systems reject; the list has the original name.
  const path = `${safe(record)}/${sys_id}-${safe(file_name)}`
  const target = join(folder, path)
  const there = await stat(target).catch(() => null)
  if (there?.size !== size_bytes) {
    await mkdir(join(folder, safe(record)), { recursive: true })
    const { body } = await client.download({ method: 'GET', path: `/v1/attachments/${sys_id}/file`, query: {} })
    const bytes = body === null ? Readable.from([]) : Readable.fromWeb(body as ReadableStream<Uint8Array>)
    await pipeline(bytes, createWriteStream(`${target}.part`))
    await rename(`${target}.part`, target)
  }
  return { record, path, file_name, sys_id, sys_created_at, sys_created_by }
}

/** In characters: these are up to four times as many bytes, and file systems allow 255. */
const longestName = 50

function safe(name: string): string {
  const plain = name.replaceAll(/[^\p{L}\p{N} ._-]/gu, '_').replace(/^\.+/, '_')
  return [...plain].slice(-longestName).join('')
}
