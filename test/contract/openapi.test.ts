import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createUser } from '../../src/identity/manage-users.ts'
import { sql } from '../../src/kernel/sql.ts'
import { admin } from '../harness/fresh-database.ts'
import type { Caller } from '../harness/send-request.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'

type Document = {
  readonly openapi: string
  readonly servers: readonly unknown[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

const validate = (document: Document) => new Validator().validate(structuredClone(document) as Record<string, unknown>)

const anna = { user: 'anna', password: 'anna-password-1' }

let docket: RunningDocket
beforeAll(async () => {
  docket = await startDocket()
  const more = { displayName: null, email: null, timeZone: 'UTC' }
  await createUser(docket.database, {
    ...more,
    userName: anna.user,
    password: anna.password,
    language: 'ru',
    roles: ['itil'],
  })
  await docket.database.rows(sql`delete from docket.sys_security_acl`)
  await docket.database.rows(sql`
    insert into docket.sys_security_acl (operation, table_name, column_name, roles, condition, description, admin_overrides)
    select o, t, c, case when r is null then array[]::text[] else array[(select sys_id::text from docket.sys_role where name = r)] end,
           '', o || ' ' || t, true
    from (values ('read', 'itsm_incident', null, null), ('write', 'itsm_incident', null, 'itil'),
                 ('create', 'itsm_incident', null, 'admin'), ('read', 'itsm_incident', 'description', 'admin'),
                 ('read', 'company', null, 'admin')) as rule (o, t, c, r)`)
})
afterAll(() => docket.close())

async function documentFor(as?: Caller): Promise<Document> {
  const response = await docket.request('GET', '/openapi.json', as === undefined ? {} : { as })
  expect(response.status).toBe(200)
  return response.body as Document
}

/** Every `$ref` in a document. */
function refsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => (key === '$ref' ? [String(member)] : refsIn(member)))
}

function resolves(document: unknown, ref: string): boolean {
  const path = ref.replace(/^#\//, '').split('/')
  return path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document) !== undefined
}

const operationsOf = (document: Document): readonly { readonly id: string; readonly responses: object }[] =>
  Object.values(document.paths).flatMap((path) =>
    Object.entries(path)
      .filter(([method]) => method !== 'parameters')
      .map(([, each]) => {
        const { operationId, responses } = each as { readonly operationId: string; readonly responses: object }
        return { id: operationId, responses }
      }),
  )

describe.each<[string, Caller | undefined]>([
  ['nobody', undefined],
  ['the administrator', admin],
  ['somebody with few rights', anna],
])('lesson: OpenAPI files that no tool accepts (Directus 14869, NocoDB 11005): the document for %s', (_who, caller) => {
  let document: Document
  beforeAll(async () => {
    document = await documentFor(caller)
  })

  test('is valid OpenAPI 3.1', async () => {
    expect(await validate(document)).toMatchObject({ valid: true })
    expect(document.openapi).toBe('3.1.1')
  })

  test('refers to nothing that is not in it, and repeats no operationId', () => {
    const refs = refsIn(document)
    expect(refs.length).toBeGreaterThan(50)
    expect(refs.filter((ref) => !resolves(document, ref))).toEqual([])
    const ids = operationsOf(document).map(({ id }) => id)
    expect(ids.length).toBe(new Set(ids).size)
  })

  test('tells of every operation how it can fail', () => {
    for (const { id, responses } of operationsOf(document)) {
      if (id === 'health') continue
      expect(Object.keys(responses), id).toContain('500')
    }
  })
})

test('sign-in by form and the small endpoints of clients are described (issue 10, 2 and 5)', async () => {
  const { paths } = await documentFor()
  const login = paths['/v1/auth/login'] as { post: { requestBody: unknown } }
  const form = { schema: { $ref: '#/components/schemas/LoginForm' } }
  expect(login.post.requestBody).toEqual({
    required: true,
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Login' } },
      'application/x-www-form-urlencoded': form,
      'multipart/form-data': form,
    },
  })
  for (const path of ['/v1/cache/reset-cache', '/v1/settings/flush-cache']) {
    const { get, post } = paths[path] as { get: { parameters: readonly unknown[] }; post: typeof get }
    for (const { parameters } of [get, post]) expect(parameters).toMatchObject([{ name: 'access-token', in: 'query' }])
  }
  expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/rest/v1/table', '/v1/auth/session']))
})

test('without credentials no table is told', async () => {
  const { paths } = await documentFor()
  expect(Object.keys(paths)).toEqual([
    '/rest/v1/table/{table}',
    '/rest/v1/table/{table}/query',
    '/rest/v1/table/{table}/{sys_id}',
    '/rest/v1/stats/{table}',
    '/rest/v1/stats/{table}/query',
    '/v1/viewers/{table}/{sys_id}',
    '/v1/viewers/{table}/{sys_id}/{page}',
    '/v1/viewers/{page}',
    '/rest/v1/meta',
    '/rest/v1/meta/{table}',
    '/rest/v1/table/{table}/{sys_id}/dependents',
    '/rest/v1/history/{table}/{sys_id}',
    '/rest/v1/events',
    '/collections/{name}/follow',
    '/collections/{name}/follow/compare',
    '/rest/v1/webhooks/{sys_id}/secret',
    '/rest/v1/webhook_deliveries/{sys_id}/resend',
    '/rest/v1/import/{table}',
    '/rest/v1/bulk/{table}',
    '/v1/import/json',
    '/rest/v1/export/{table}',
    '/rest/v1/export/{table}/query',
    '/v1/attachments/upload/{table}/{sys_id}',
    '/v1/attachments/{sys_id}/file',
    '/v1/attachments/{sys_id}',
    '/v1/attachments/removed/{table}/{sys_id}',
    '/v1/attachments/removable/{table}/{sys_id}',
    '/load_document_to_collection',
    '/load_text_to_collection',
    '/get_relevant_documents',
    '/collections/{name}/evaluate',
    '/get_content_by_tag',
    '/get_list_of_documents_names',
    '/get_list_of_metadata_keys',
    '/get_document_chunks',
    '/get_list_of_collection',
    '/delete_document_from_collection',
    '/delete_collection',
    '/get_document_status',
    '/get_document_file',
    '/collections/{name}',
    '/v1/auth/sessions',
    '/v1/auth/sessions/{id}',
    '/v1/auth/password',
    '/v1/auth/login',
    '/v1/auth/logout',
    '/v1/auth/session',
    '/rest/v1/table',
    '/v1/cache/reset-cache',
    '/v1/settings/flush-cache',
    '/v1/auth/keys',
    '/v1/auth/keys/{id}',
    '/rest/v1/acl/explain',
    '/v1/denials',
    '/limits',
    '/metrics',
    '/health',
    '/ready',
    '/health/details',
    '/v1/jobs',
  ])
})

test('wrong credentials are rejected, not taken for none', async () => {
  const response = await docket.request('GET', '/openapi.json', { as: { bearer: 'a'.repeat(64) } })
  expect(response.status).toBe(401)
})

test('a caller is told the tables and columns that they may read, and what they may do with them', async () => {
  const { paths, components } = await documentFor(anna)
  // An incident is also a row of the parent tables, so these are described; anna sees only incidents in them.
  expect(Object.keys(paths).filter((path) => /^\/rest\/v1\/table\/.*\{sys_id\}$/.test(path))).toEqual([
    '/rest/v1/table/itsm_incident/{sys_id}',
    '/rest/v1/table/itsm_task/{sys_id}',
    '/rest/v1/table/task/{sys_id}',
  ])
  expect(Object.keys(paths['/rest/v1/table/itsm_incident'] ?? {})).toEqual(['get'])
  expect(Object.keys(paths['/rest/v1/table/itsm_incident/{sys_id}'] ?? {})).toEqual([
    'parameters',
    'get',
    'put',
    'patch',
  ])
  const { properties } = components.schemas['itsm_incident'] as { readonly properties: Record<string, unknown> }
  expect(Object.keys(properties)).toContain('subject')
  expect(Object.keys(properties)).not.toContain('description')
  expect(components.schemas['company']).toBeUndefined()
})

test('columns have types, choices, references and titles in the caller’s language', async () => {
  const { components } = await documentFor(anna)
  const { properties } = components.schemas['itsm_incident'] as { readonly properties: Record<string, unknown> }
  const body = components.schemas['itsm_incident.put'] as { readonly properties: Record<string, unknown> }
  expect({
    sys_id: properties['sys_id'],
    active: properties['active'],
    opened_at: properties['opened_at'],
    assigned_user: properties['assigned_user'],
  }).toMatchInlineSnapshot(`
    {
      "active": {
        "title": "Активна",
        "type": [
          "boolean",
          "null",
        ],
      },
      "assigned_user": {
        "anyOf": [
          {
            "$ref": "#/components/schemas/user.reference",
          },
          {
            "$ref": "#/components/schemas/user.sys_id",
          },
          {
            "type": "null",
          },
        ],
        "description": "Refers to user.",
        "title": "Исполнитель",
      },
      "opened_at": {
        "description": "UTC, \`YYYY-MM-DD HH:MM:SS\`.",
        "pattern": "^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$",
        "title": "Открыта",
        "type": [
          "string",
          "null",
        ],
      },
      "sys_id": {
        "pattern": "^-?\\d+$",
        "title": "Идентификатор",
        "type": "string",
      },
    }
  `)
  expect(body.properties['sys_created_at']).toBeUndefined()
  expect(body.properties['state']).toMatchObject({
    title: 'Состояние',
    anyOf: [
      { type: 'string', enum: expect.arrayContaining(['7']), description: expect.stringContaining('`7` ') },
      { $ref: '#/components/schemas/TextValue' },
    ],
  })
})

test('the validator finds fault with a document that is not valid', async () => {
  const { paths: _, ...rest } = await documentFor()
  expect(await validate({ ...rest, info: undefined } as unknown as Document)).toMatchObject({ valid: false })
})

test('a rule that is changed changes the next document', async () => {
  await documentFor(anna)
  await docket.database.rows(sql`
    update docket.sys_security_acl set active = false where table_name = 'itsm_incident' and operation = 'write'`)
  const { paths } = await documentFor(anna)
  expect(Object.keys(paths['/rest/v1/table/itsm_incident/{sys_id}'] ?? {})).toEqual(['parameters', 'get'])
})

test('the address is the one that the caller used', async () => {
  const { servers } = await documentFor()
  expect(servers).toEqual([{ url: docket.baseUrl }])
})

test('docs/openapi.json is the document of a server without tables', async () => {
  const kept = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')) as Document
  expect({ ...(await documentFor()), servers: kept.servers }).toEqual(kept)
  expect(await validate(kept)).toMatchObject({ valid: true })
})
