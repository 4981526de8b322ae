import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { admin } from '../harness/fresh-database.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'
import { type Stage, setStage } from './records/fixture.ts'

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}
interface Operation {
  readonly operationId: string
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >
}
interface Schema {
  readonly properties?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly required?: readonly string[]
}

/** Validators of the schemas of a served document, by JSON Schema 2020-12 with formats. */
function validatorsOf(document: OpenApi): (pointer: string) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(document, 'openapi')
  return (pointer) => ajv.compile({ $ref: `openapi#${pointer}` })
}

const pointerTo = (...keys: readonly string[]): string =>
  keys.map((key) => `/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('')
const schemaPointer = (name: string): string => pointerTo('components', 'schemas', name)
const responsePointer = (path: string, method: string, status = '200'): string =>
  pointerTo('paths', path, method, 'responses', status, 'content', 'application/json', 'schema')

const misfitsOf = (validate: ValidateFunction, value: unknown): string | null =>
  validate(value)
    ? null
    : `${JSON.stringify(validate.errors?.slice(0, 3).map(({ instancePath, message }) => `${instancePath} ${message}`))} in ${JSON.stringify(value).slice(0, 500)}`

async function documentOf(docket: RunningDocket): Promise<OpenApi> {
  return (await docket.request('GET', '/openapi.json', { as: admin })).body as OpenApi
}

const tablesOf = ({ paths }: OpenApi): readonly string[] =>
  Object.keys(paths).flatMap((path) => /^\/rest\/v1\/table\/(\w+)$/.exec(path)?.[1] ?? [])

describe('every row of every table of the demo desk fits its schema (issue 9, 6):', () => {
  let docket: RunningDocket
  let document: OpenApi
  let validatorAt: ReturnType<typeof validatorsOf>
  beforeAll(async () => {
    docket = await startDocket({ template: 'demo' })
    document = await documentOf(docket)
    validatorAt = validatorsOf(document)
    for (const doc_id of ['one', 'two']) {
      const body = { metadata: { doc_id, status: 'open' }, text: `The password of printer ${doc_id}.` }
      const path = '/load_text_to_collection?collection_name=kb'
      const loaded = await docket.request('POST', path, { as: admin, body })
      expect(misfitsOf(validatorAt(responsePointer('/load_text_to_collection', 'post')), loaded.body)).toBeNull()
    }
  })
  afterAll(() => docket.close())

  const MODES = ['0', '1', 'all'].flatMap((display) => ['0', '1'].map((exclude) => [display, exclude] as const))
  const SUFFIX: Readonly<Record<string, string>> = { '0': '', '1': '.display', all: '.all' }

  test.each(MODES)('sysparm_display_value=%s, sysparm_exclude_reference_link=%s', async (display, exclude) => {
    const misfits: string[] = []
    let rows = 0
    for (const table of tablesOf(document)) {
      const query = `sysparm_limit=40&sysparm_display_value=${display}&sysparm_exclude_reference_link=${exclude}`
      const { status, body } = await docket.request('GET', `/rest/v1/table/${table}?${query}`, { as: admin })
      expect([table, status]).toEqual([table, 200])
      const inMode = validatorAt(schemaPointer(`${table}${SUFFIX[display]}`))
      const { properties = {} } = document.components.schemas[table] ?? {}
      for (const row of (body as { data: readonly object[] }).data) {
        rows++
        const unknown = Object.keys(row).filter((column) => !(column in properties))
        misfits.push(...(unknown.length === 0 ? [] : [`${table} has no ${unknown}`]))
        const misfit = misfitsOf(inMode, row)
        if (misfit !== null) misfits.push(`${table}: ${misfit}`)
      }
      const whole = misfitsOf(validatorAt(responsePointer(`/rest/v1/table/${table}`, 'get')), body)
      if (whole !== null) misfits.push(`response of ${table}: ${whole}`)
    }
    expect(misfits).toEqual([])
    expect(rows).toBeGreaterThan(500)
  })

  test.each(MODES)('fields and dot-walks, display %s, exclude %s', async (display, exclude) => {
    const fields = 'number,state,caller,caller.company,caller.company.name,active,opened_at,followers_list'
    await fitsInMode(`sysparm_fields=${fields}`, display, exclude)
  })

  test.each(MODES)('a view, display %s, exclude %s', async (display, exclude) => {
    const views = await docket.database.rows<{ title: string }>(sql`
      select f.title from docket.sys_ui_form f join docket.sys_db_table t on t.sys_id = f.table_id where t.name = 'itsm_incident'`)
    expect(views.length).toBeGreaterThan(0)
    for (const { title } of views) await fitsInMode(`sysparm_view=${encodeURIComponent(title)}`, display, exclude)
  })

  async function fitsInMode(more: string, display: string, exclude: string): Promise<void> {
    const query = `sysparm_limit=40&sysparm_display_value=${display}&sysparm_exclude_reference_link=${exclude}&${more}`
    const { status, body } = await docket.request('GET', `/rest/v1/table/itsm_incident?${query}`, { as: admin })
    expect(status).toBe(200)
    const { data } = body as { data: readonly { sys_id?: string }[] }
    expect(data).toHaveLength(40)
    const inMode = validatorAt(schemaPointer(`itsm_incident${SUFFIX[display]}`))
    expect(data.map((row) => misfitsOf(inMode, row)).filter((misfit) => misfit !== null)).toEqual([])
    expect(misfitsOf(validatorAt(responsePointer('/rest/v1/table/itsm_incident', 'get')), body)).toBeNull()
  }

  test('a record that does not fit is found', () => {
    const validate = validatorAt(schemaPointer('itsm_incident'))
    expect(misfitsOf(validate, { opened_at: 'yesterday' })).not.toBeNull()
    expect(misfitsOf(validate, { caller: { link: 'x' } })).not.toBeNull()
    expect(misfitsOf(validatorAt(schemaPointer('itsm_incident.all')), { active: true })).not.toBeNull()
  })

  test.each([
    ['/limits', '/limits'],
    ['/rest/v1/table', '/rest/v1/table'],
    ['/v1/auth/session', '/v1/auth/session'],
    ['/v1/auth/keys', '/v1/auth/keys'],
    ['/health', '/health'],
    ['/ready', '/ready'],
    ['/v1/cache/reset-cache', '/v1/cache/reset-cache'],
    ['/get_list_of_collection', '/get_list_of_collection'],
    ['/get_list_of_collection', '/get_list_of_collection?details=1'],
    ['/get_list_of_documents_names', '/get_list_of_documents_names?collection_name=kb&limit=5'],
    ['/get_list_of_documents_names', '/get_list_of_documents_names?collection_name=kb&details=1'],
    ['/get_content_by_tag', '/get_content_by_tag?collection_name=kb&limit=5'],
    ['/get_relevant_documents', '/get_relevant_documents?query=password&k=5&explain=1'],
    [
      '/get_relevant_documents',
      '/get_relevant_documents?query=printr&k=20&collapse=duplicates&context=2&group_by=document',
    ],
    ['/get_list_of_metadata_keys', '/get_list_of_metadata_keys?values=3'],
    ['/get_document_chunks', '/get_document_chunks?collection_name=kb&id_value=one'],
    ['/get_document_status', '/get_document_status?collection_name=kb&id_value=one'],
    ['/collections/{name}', '/collections/kb'],
    ['/rest/v1/acl/explain', '/rest/v1/acl/explain?table=itsm_incident&operation=write&column=state'],
    [
      '/rest/v1/stats/{table}',
      '/rest/v1/stats/itsm_incident?sysparm_group_by=state,caller&sysparm_avg_fields=time_worked',
    ],
    ['/rest/v1/stats/{table}', '/rest/v1/stats/itsm_incident?sysparm_group_by=caller&sysparm_display_value=all'],
    ['/rest/v1/history/{table}/{sys_id}', '/rest/v1/history/itsm_incident/INCIDENT'],
    ['/rest/v1/table/{table}/{sys_id}/dependents', '/rest/v1/table/itsm_incident/INCIDENT/dependents'],
  ])('the response of %s: %s', async (path, target) => {
    const incidents = await docket.request('GET', '/rest/v1/table/itsm_incident?sysparm_limit=1', { as: admin })
    const [incident] = (incidents.body as { data: { sys_id: string }[] }).data
    const address = target.replace('INCIDENT', incident?.sys_id ?? '')
    const { status, body } = await docket.request('GET', address, { as: admin })
    expect({ status, misfit: misfitsOf(validatorAt(responsePointer(path, 'get')), body) }).toEqual({
      status: 200,
      misfit: null,
    })
  })

  test('an error fits the error schema of its status', async () => {
    const { body } = await docket.request('GET', '/rest/v1/table/task?sysparm_query=a%3D', { as: admin })
    const validate = validatorAt(schemaPointer('Error'))
    expect(misfitsOf(validate, body)).toBeNull()
  })
})

describe('the bodies of the document are what the server takes (issue 9, 6):', () => {
  let stage: Stage
  let document: OpenApi
  let validatorAt: ReturnType<typeof validatorsOf>
  beforeAll(async () => {
    stage = await setStage()
    document = (await stage.docket.request('GET', '/openapi.json', { as: stage.callerOf('admin') })).body as OpenApi
    validatorAt = validatorsOf(document)
  })
  afterAll(() => stage.close())

  /** A value for a column of `probe`; `taken`: the operations that accept it. */
  const takes = (taken: readonly ('post' | 'put' | 'patch')[], column: string, value: unknown) =>
    ({ column, value, taken }) as const
  const ALL = ['post', 'put', 'patch'] as const
  const PATCH = ['patch'] as const
  const values = [
    takes(ALL, 'title', 'Tom'),
    takes(ALL, 'title', null),
    takes(ALL, 'title', { value: 'Tom' }),
    takes(PATCH, 'title', { clear: true }),
    takes(PATCH, 'title', { append: 'x' }),
    takes(PATCH, 'title', { prepend: 'x' }),
    takes([], 'title', { increment: 1 }),
    takes([], 'title', { append: 'x', prepend: 'y' }),
    takes([], 'title', 'x'.repeat(21)),
    takes([], 'title', ['x']),
    takes(ALL, 'c_integer', 5),
    takes(ALL, 'c_integer', '5'),
    takes(ALL, 'c_integer', { value: 5, display_value: '5' }),
    takes(PATCH, 'c_integer', { increment: -2 }),
    takes(PATCH, 'c_integer', { clear: true }),
    takes([], 'c_integer', { clear: false }),
    takes([], 'c_integer', { append: 'x' }),
    takes([], 'c_integer', [5]),
    takes(ALL, 'c_decimal', '12.33'),
    takes(PATCH, 'c_decimal', { increment: 0.5 }),
    takes(ALL, 'c_boolean', true),
    takes(ALL, 'c_boolean', { value: false }),
    takes([], 'c_boolean', { increment: 1 }),
    takes(ALL, 'c_datetime', '2026-03-09 12:00:00'),
    takes(PATCH, 'c_datetime', { clear: true }),
    takes([], 'c_datetime', { append: 'x' }),
    takes(ALL, 'c_reference', '201'),
    takes(ALL, 'c_reference', null),
    takes(ALL, 'c_reference', { value: '201', link: 'x', display_value: 'y' }),
    takes(ALL, 'c_reference', { find: { user_name: 'worker' } }),
    takes(ALL, 'c_reference', { find: { 'company.name': 'Acme', user_name: 'worker' } }),
    takes(PATCH, 'c_reference', { clear: true }),
    takes([], 'c_reference', { find: {} }),
    takes([], 'c_reference', { append: '1' }),
    takes([], 'c_reference', 'worker'),
    takes(ALL, 'c_users', ['201', '202']),
    takes(ALL, 'c_users', '201,202'),
    takes(ALL, 'c_users', null),
    takes(ALL, 'c_users', [{ find: { user_name: 'worker' } }]),
    takes(PATCH, 'c_users', { add: ['201'], remove: ['202'] }),
    takes(PATCH, 'c_users', { add: ['201'] }),
    takes(PATCH, 'c_users', { set: ['201'] }),
    takes(PATCH, 'c_users', { clear: true }),
    takes([], 'c_users', { add: ['201'], set: ['202'] }),
    takes([], 'c_users', 5),
    takes(ALL, 'c_list', ['a', 'b']),
    takes(PATCH, 'c_list', { remove: ['a'] }),
    takes(ALL, 'c_json', { any: ['thing'] }),
    takes(ALL, 'c_json', { merge: { a: null } }),
    takes(ALL, 'c_journal', 'An entry'),
    takes(PATCH, 'c_journal', { message: 'An entry' }),
    takes([], 'c_journal', { append: 'x' }),
    takes(ALL, 'c_duration', '5000'),
    takes(PATCH, 'c_duration', { increment: 5 }),
    takes(ALL, 'c_date', '2026-03-09'),
    takes(ALL, 'c_password', 'a new password'),
    takes([], 'c_password', { append: 'x' }),
  ]

  test.each(values)('$column: $value', async ({ column, value, taken }) => {
    const body = { title: 'Row', [column]: value }
    for (const method of ALL) {
      const isCreate = method === 'post'
      const path = isCreate ? '/rest/v1/table/probe' : '/rest/v1/table/probe/{sys_id}'
      const schema = pointerTo('paths', path, method, 'requestBody', 'content', 'application/json', 'schema')
      const row = isCreate ? '' : `/${await newRow()}`
      const { status } = await stage.send('admin', `${method.toUpperCase()} /rest/v1/table/probe${row}`, { body })
      const isTaken = (taken as readonly string[]).includes(method)
      const fits = misfitsOf(validatorAt(schema), body) === null
      expect({ method, status, fits }).toEqual({ method, status: isTaken ? 200 : 422, fits: isTaken })
    }
  })

  async function newRow(): Promise<string> {
    const { body } = await stage.send('admin', 'POST /rest/v1/table/probe', { body: { title: 'New' } })
    return (body as { data: { sys_id: string }[] }).data[0]?.sys_id ?? ''
  }

  test('mandatory columns are required in a create, and in nothing else', async () => {
    const required: string[] = []
    for (const table of tablesOf(document)) {
      const { schemas } = document.components
      const names = schemas[`${table}.create`]?.required ?? []
      required.push(...names.map((name) => `${table}.${name}`))
      for (const operation of ['put', 'patch']) expect(schemas[`${table}.${operation}`]?.required).toBeUndefined()
      for (const name of names) {
        const others = Object.fromEntries(names.filter((each) => each !== name).map((each) => [each, 'x']))
        const { status, body } = await stage.send('admin', `POST /rest/v1/table/${table}`, { body: others })
        const { errors } = body as { errors: { field: string }[] }
        expect({ table, status, field: errors[0]?.field }).toMatchObject({ status: 422, field: expect.anything() })
      }
    }
    expect(required).toEqual(expect.arrayContaining(['user.user_name']))
  })

  test('choices are enumerations in bodies and x-enum in responses', () => {
    const { schemas } = document.components
    const choices = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '10']
    expect(schemas['itsm_incident']?.properties?.['state']).toMatchObject({ 'x-enum': choices })
    expect(schemas['itsm_incident']?.properties?.['state']).not.toHaveProperty('enum')
    for (const operation of ['create', 'put', 'patch']) {
      const state = schemas[`itsm_incident.${operation}`]?.properties?.['state']
      const [plain] = (state?.['anyOf'] ?? []) as readonly { enum?: readonly (string | null)[] }[]
      expect(plain?.enum?.filter((value) => value !== null)).toEqual(choices)
    }
  })

  test('references name their target', () => {
    const { properties } = document.components.schemas['itsm_incident'] ?? {}
    expect(properties?.['caller']).toMatchObject({
      anyOf: [
        { $ref: '#/components/schemas/user.reference' },
        { $ref: '#/components/schemas/user.sys_id' },
        { type: 'null' },
      ],
    })
    expect(document.components.schemas['user.find']?.properties).toHaveProperty('user_name')
  })

  test('the document has no prefixItems', () => {
    expect(JSON.stringify(document)).not.toContain('prefixItems')
  })
})

test('nothing in the document is without a description', async () => {
  const docket = await startDocket()
  const document = await documentOf(docket)
  await docket.close()
  const missing: string[] = []
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return
    const node = value as Readonly<Record<string, unknown>>
    const isDescribed = 'description' in node || 'title' in node || '$ref' in node
    const isSchema =
      /\/components\/schemas\/[^/]+$|\/properties\/[^/]+$/.test(path) && !/\.(display|all)\/properties\//.test(path)
    const isNamed =
      isSchema || 'operationId' in node || ('in' in node && 'name' in node) || /\/headers\/[^/]+$/.test(path)
    if (isNamed && !isDescribed) missing.push(path)
    for (const [key, member] of Object.entries(node)) visit(member, `${path}/${key}`)
  }
  visit(document, '')
  expect(missing).toEqual([])
})
