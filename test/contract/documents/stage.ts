import { makeApiKey } from '../../../src/identity/api-keys.ts'
import { createUser, findUserId } from '../../../src/identity/manage-users.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import { sql } from '../../../src/kernel/sql.ts'
import type { ReceivedResponse } from '../../harness/send-request.ts'
import { type RunningDocket, type StartDocketOptions, startDocket } from '../../harness/start-docket.ts'

/** Callers, named after their role. `hr` has a custom role, `nobody` has none. */
export const callers = {
  admin: { roles: ['admin'], language: 'en' },
  writer: { roles: ['document_writer'], language: 'en' },
  reader: { roles: ['document_reader'], language: 'en' },
  pisatel: { roles: ['document_writer'], language: 'ru' },
  hr: { roles: ['hr_documents'], language: 'en' },
  nobody: { roles: [], language: 'en' },
} as const
export type Who = keyof typeof callers

export interface DocumentStage {
  readonly docket: RunningDocket
  /** `line`: METHOD and path. In the response, times are replaced by 0, and the id of the request by ID. */
  send(as: Who | null, line: string, body?: unknown): Promise<ReceivedResponse>
  /** Sends a form to `load_document_to_collection`. */
  sendFile(as: Who | null, parameters: string, file: FileToSend | null, metadata?: unknown): Promise<ReceivedResponse>
  readonly keys: Readonly<Record<Who, string>>
  close(): Promise<void>
}

export interface FileToSend {
  readonly name: string
  readonly bytes: Uint8Array | string
}

export async function setDocumentStage(options: StartDocketOptions = {}): Promise<DocumentStage> {
  const docket = await startDocket(options)
  const keys = await makeCallers(docket)
  const send: DocumentStage['send'] = async (as, line, body) => {
    const [method = '', ...path] = line.split(' ')
    const credentials = as === null ? {} : { as: { bearer: keys[as] } }
    return normalize(
      await docket.request(method, path.join(' '), { ...credentials, ...(body === undefined ? {} : { body }) }),
    )
  }
  return {
    docket,
    keys,
    send,
    async sendFile(as, parameters, file, metadata) {
      const form = new FormData()
      if (metadata !== undefined)
        form.set('metadata', typeof metadata === 'string' ? metadata : JSON.stringify(metadata))
      if (file !== null) form.set('file', new Blob([file.bytes as Uint8Array<ArrayBuffer>]), file.name)
      const sent = await fetch(`${docket.baseUrl}/load_document_to_collection?${parameters}`, {
        method: 'POST',
        body: form,
        ...(as === null ? {} : { headers: { authorization: `Bearer ${keys[as]}` } }),
      })
      const text = await sent.text()
      return normalize({ status: sent.status, headers: Object.fromEntries(sent.headers), body: JSON.parse(text), text })
    },
    close: () => docket.close(),
  }
}

/** @returns a key for each caller */
export async function makeCallers({ database }: Pick<RunningDocket, 'database'>): Promise<Record<Who, string>> {
  await database.rows(sql`insert into docket.sys_role (name) values ('hr_documents') on conflict do nothing`)
  const keys: Partial<Record<Who, string>> = {}
  for (const [name, { roles, language }] of Object.entries(callers)) {
    const userName = `doc.${name}`
    const about = { displayName: null, email: null, timeZone: 'UTC', password: null }
    const made = await createUser(database, { userName, ...about, language, roles: [...roles] })
    if (!made.ok && made.error.kind !== 'not-unique') throw new Error(made.error.kind)
    keys[name as Who] = await makeKeyOf({ database }, userName)
  }
  return keys as Record<Who, string>
}

/** @returns a key of an existing user */
export async function makeKeyOf({ database }: Pick<RunningDocket, 'database'>, userName: string): Promise<string> {
  const userId = await findUserId(database, userName)
  const key = await makeApiKey(
    { database, clock: systemClock },
    { userId: userId ?? '', name: 'tests', expiresAtMs: systemClock.nowMs() + 3_600_000, roles: null },
    userId ?? '',
  )
  if (!key.ok) throw new Error(key.error.kind)
  return key.value.key
}

/** Replaces what differs between runs, and `sequence`, which counts the changes of all collections (docs/decisions/0032). */
export function normalize(response: ReceivedResponse): ReceivedResponse {
  const text = response.text
    .replaceAll(/"took_ms":[\d.]+/g, '"took_ms":0')
    .replaceAll(/"sequence":\d+/g, '"sequence":0')
    .replaceAll(/"request_id":"[^"]*"/g, '"request_id":"ID"')
    .replaceAll(/"(loaded_at|created_at|updated_at)":"[^"]*"/g, '"$1":"NOW"')
  const isJson = String(response.headers['content-type']).startsWith('application/json')
  return { ...response, text, body: isJson ? JSON.parse(text) : response.body }
}

export const ok = (data: unknown): unknown => ({ status: 'OK', data })

export function rejected(code: string, message: string, place: { field?: string; position?: number } = {}): unknown {
  return { status: 'ERROR', error_type: 'SERVER', message, errors: [{ message, code, ...place }], request_id: 'ID' }
}
