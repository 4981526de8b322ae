import { z } from 'zod'
import { Description, successOf } from '../../contract/envelope.ts'
import { TablesEnvelope } from '../../contract/tables.ts'
import { callerWith } from '../../http/endpoint/access.ts'
import { declare } from '../../http/endpoint/declare.ts'
import { succeed } from '../../kernel/result.ts'
import type { RecordDeps } from '../../records/record-deps.ts'
import { type VisibleTable, visibleTables } from '../../records/rights/visible-tables.ts'

interface TableDeps {
  readonly records: RecordDeps
}

const tablesEndpoint = declare({
  id: 'tables.list',
  path: '/rest/v1/table',
  methods: ['GET'],
  tag: 'Rights',
  summary: 'List the tables that you may read',
  description: 'Each with its title, its parent, and what the caller may do with its records.',
  input: {},
  otherNames: 'ignored',
  receives: 'nothing',
  output: TablesEnvelope,
  errors: [],
  isGated: false,
  async handle({ records }: TableDeps, _input, { principal }) {
    const catalog = await records.catalog.upToDate()
    const tables = visibleTables(catalog, records.accessFor(catalog, principal))
    return succeed({ data: tables.map((visible) => describe(visible, principal.language)) })
  },
})

function describe({ table, mayCreate, mayWrite, mayDelete }: VisibleTable, language: 'en' | 'ru') {
  return {
    name: table.name,
    title: table.titles[language],
    parent: table.parent,
    may_create: mayCreate,
    may_write: mayWrite,
    may_delete: mayDelete,
  }
}

/** Deployed clients call them after a change of the dictionary. */
const resetEndpoint = (id: string, path: string) =>
  declare({
    id,
    path,
    methods: ['GET', 'POST'],
    tag: 'Server',
    summary: 'Read the dictionary again',
    description: 'For administrators. Nothing needs it: every request uses the current dictionary.',
    access: { ...callerWith(['admin'], 'reset caches'), keyIn: [{ in: 'query', name: 'access-token' }] },
    input: {},
    otherNames: 'ignored',
    receives: 'nothing',
    output: Reset,
    errors: [],
    isGated: false,
    // No response depends on a stale cache; the dictionary is read again anyway, so that OK is true.
    async handle({ records }: TableDeps, _input, { principal }) {
      await records.catalog.refresh()
      return succeed({ data: { result: true, description: REREAD[principal.language] } })
    },
  })

const REREAD = { en: 'The dictionary was read again.', ru: 'Словарь данных прочитан заново.' }

const Reset = successOf(
  Description.extend({ result: z.literal(true).meta({ description: 'The dictionary was read.' }) }),
).meta({ id: 'Reset' })

/** Operations on the dictionary as a whole. */
export const tableEndpoints = [
  tablesEndpoint,
  resetEndpoint('cache.reset', '/v1/cache/reset-cache'),
  resetEndpoint('settings.flush', '/v1/settings/flush-cache'),
]
