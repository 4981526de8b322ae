import { hash } from 'node:crypto'
import { nearestNames } from '../../catalog/nearest-names.ts'
import { tableNamed } from '../../catalog/table-named.ts'
import { readVersion } from '../../config/version.ts'
import { MetaEnvelope, MetaListEnvelope } from '../../contract/meta.ts'
import { declare, type Endpoint } from '../../http/endpoint/declare.ts'
import type { EndpointGroup } from '../../http/openapi/describe-endpoints.ts'
import type { Principal } from '../../identity/principal.ts'
import { fail, succeed } from '../../kernel/result.ts'
import type { RecordDeps } from '../../records/record-deps.ts'
import { describeTable, describeTables, type MetaReader } from '../../records/rights/describe-table.ts'

interface MetaDeps {
  readonly records: RecordDeps
}

const listEndpoint = declare({
  id: 'meta.list',
  path: '/rest/v1/meta',
  methods: ['GET'],
  tag: 'Meta',
  summary: 'All tables that the caller may read',
  description:
    'With titles, numbering and the rights of the caller. `ETag` changes with the dictionary and the roles of the caller.',
  input: {},
  receives: 'nothing',
  output: MetaListEnvelope,
  responses: { 304: { description: 'If-None-Match names the ETag.' } },
  errors: [],
  isGated: false,
  async handle({ records }: MetaDeps, _input, { principal }) {
    const reader = await readerOf(records, principal)
    return succeed({ data: describeTables(reader), etag: tagOf(reader, principal) })
  },
})

const tableEndpoint = declare({
  id: 'meta.table',
  path: '/rest/v1/meta/{table}',
  methods: ['GET'],
  tag: 'Meta',
  summary: 'A table with the caller’s rights',
  description:
    'Columns with types, choices and rights, views, related lists and the state model: all that a form or a list needs. A table that the caller may not read is 404.',
  input: {},
  receives: 'nothing',
  inPath: { table: 'Name of the table.' },
  output: MetaEnvelope,
  responses: { 304: { description: 'If-None-Match names the ETag.' } },
  errors: [404],
  isGated: false,
  async handle({ records }: MetaDeps, _input, { principal, path }) {
    const reader = await readerOf(records, principal)
    const name = path['table'] ?? ''
    const table = tableNamed(name, reader.catalog)
    const data = table === undefined ? null : describeTable(table, reader)
    if (data !== null) return succeed({ data, etag: tagOf(reader, principal) })
    const known = describeTables(reader).map((each) => each.name)
    return fail({ kind: 'table-not-found', table: name, similar: nearestNames(name, known) })
  },
})

/** Descriptions from which user interfaces are built: docs/api-for-pages.md. */
export const metaEndpoints: readonly Endpoint<MetaDeps>[] = [listEndpoint, tableEndpoint]

export const metaGroup: EndpointGroup = {
  tags: [{ name: 'Meta', description: 'Tables with the caller’s rights.' }],
  endpoints: metaEndpoints,
}

async function readerOf(deps: RecordDeps, principal: Principal): Promise<MetaReader> {
  const catalog = await deps.catalog.upToDate()
  const { userId, language } = principal
  return { catalog, access: deps.accessFor(catalog, principal), userId, language }
}

/** A description depends only on these values. */
function tagOf({ catalog, userId, language }: MetaReader, { roleKey }: Principal): string {
  const basis = JSON.stringify([readVersion(), catalog.epoch, roleKey, language, userId])
  return `"${hash('sha1', basis, 'hex').slice(0, 16)}"`
}
