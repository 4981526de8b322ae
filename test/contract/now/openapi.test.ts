import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DESCRIBED } from '../../../src/endpoints/now/described-operations.ts'
import { nowEndpoints } from '../../../src/endpoints/now/now-endpoints.ts'
import { type RunningDocket, startDocket } from '../../harness/start-docket.ts'

interface Document {
  readonly info: { readonly title: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>
}

let docket: RunningDocket
beforeAll(async () => {
  docket = await startDocket()
})
afterAll(() => docket.close())

const documentOf = async (): Promise<Document> => {
  const { status, body } = await docket.request('GET', '/openapi.json?face=now')
  expect(status).toBe(200)
  return body as Document
}

/** Every `$ref` in a document. */
function refsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => (key === '$ref' ? [String(member)] : refsIn(member)))
}

const resolves = (document: unknown, ref: string): boolean =>
  ref
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document) !== undefined

describe('the OpenAPI document of the API for clients of ServiceNow (issue 15, section 13)', () => {
  test('is valid, repeats no operationId and refers to nothing that it does not have', async () => {
    const document = await documentOf()
    expect(await new Validator().validate(structuredClone(document) as never)).toMatchObject({ valid: true })
    expect(document.info.title).toBe('Docket for clients of ServiceNow')
    const refs = refsIn(document)
    expect(refs.length).toBeGreaterThan(50)
    expect(refs.filter((ref) => !resolves(document, ref))).toEqual([])
  })

  test('has every operation, each with its own responses and its errors', async () => {
    expect(Object.keys(DESCRIBED).sort()).toEqual(nowEndpoints.map(({ id }) => id).sort())
    const { paths } = await documentOf()
    const statuses = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method]) => method !== 'parameters')
        .map(([method, operation]) => {
          const { responses } = operation as { readonly responses: Readonly<Record<string, unknown>> }
          const names = Object.keys(responses)
          // No client of this API knows 422.
          expect(names, path).not.toContain('422')
          expect(names, path).toContain('500')
          return [`${method} ${path}`, names.filter((status) => status.startsWith('2')).join()]
        }),
    )
    expect(Object.fromEntries(statuses)).toEqual({
      'get /api/now/table/{table}': '200',
      'post /api/now/table/{table}': '201',
      'get /api/now/table/{table}/{sys_id}': '200',
      'put /api/now/table/{table}/{sys_id}': '200',
      'patch /api/now/table/{table}/{sys_id}': '200',
      'delete /api/now/table/{table}/{sys_id}': '204',
      'get /api/now/attachment': '200',
      'get /api/now/attachment/{sys_id}': '200',
      'delete /api/now/attachment/{sys_id}': '204',
      'get /api/now/attachment/{sys_id}/file': '200',
      'post /api/now/attachment/file': '201',
      'post /api/now/attachment/upload': '201',
      'get /api/now/stats/{table}': '200',
      'get /api/now/ui/user/current_user': '200',
      'get /api/now/doc/table/schema': '200',
      'get /api/now/ui/meta/{table}': '200',
      'post /api/now/tinyurl': '201',
      'post /oauth_token.do': '200',
      'post /oauth_revoke.do': '200',
      'post /api/now/v1/batch': '200',
      'post /api/now/unload': '200',
    })
  })

  test('another face is 400, and so is this one where the API is off', async () => {
    expect((await docket.request('GET', '/openapi.json?face=other')).status).toBe(400)
    const off = await startDocket({ environment: { DOCKET_SERVICENOW: 'off' } })
    try {
      expect(await off.request('GET', '/openapi.json?face=now')).toMatchObject({
        status: 400,
        body: { errors: [{ field: 'face' }] },
      })
    } finally {
      await off.close()
    }
  })
})
