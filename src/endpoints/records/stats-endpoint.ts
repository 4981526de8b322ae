import { STATS_ONLY_PARAMETERS } from '../../contract/record-parameters.ts'
import { StatsEnvelope } from '../../contract/stats.ts'
import { declare } from '../../http/endpoint/declare.ts'
import { schemaRef } from '../../http/openapi/json-schema.ts'
import { inQuery } from '../../http/openapi/write-openapi.ts'
import { MAX_AGGREGATES, MAX_GROUP_FIELDS, MAX_HAVING } from '../../records/parse/parse-stats.ts'
import { TABLE_PATH } from '../record-path.ts'
import { RECORD_LIMITS, respondTo, shared } from './record-endpoints.ts'
import { parametersOf } from './record-parameters.ts'

const ofBoth = {
  ...shared,
  tag: 'Aggregates',
  inPath: TABLE_PATH,
  output: StatsEnvelope,
  outputHeaders: ['X-Total-Count', 'Link', 'X-History-Removed-Before', 'X-Limit-Clamped', 'X-Ignored-Parameters'],
  errors: [403, 404, 422],
  limits: [
    ...RECORD_LIMITS,
    { name: 'fields of sysparm_group_by', value: MAX_GROUP_FIELDS, unit: 'fields', status: 400 },
    { name: 'fields of sum, avg, min and max', value: MAX_AGGREGATES, unit: 'fields', status: 400 },
    { name: 'conditions of sysparm_having', value: MAX_HAVING, unit: 'conditions', status: 400 },
  ],
  handle: respondTo('stats'),
} as const

const path = '/rest/v1/stats/{table}'

const byUrl = declare({
  ...ofBoth,
  id: 'stats',
  path,
  methods: ['GET'],
  summary: 'Count and sum records, in groups',
  description:
    'Only records that the caller may read are counted, and values that they may not see count as empty. ' +
    'Without sysparm_limit all groups are given, up to the cap of a list.',
  receives: 'nothing',
  parameters: [
    ...parametersOf('stats'),
    ...Object.entries(STATS_ONLY_PARAMETERS).map(([name, { description, schema }]) =>
      inQuery(name, description, schema),
    ),
  ],
})

const byBody = declare({
  ...ofBoth,
  id: 'stats.query',
  path: `${path}/query`,
  methods: ['POST'],
  summary: 'Count and sum records, with parameters too long for a URL',
  description: 'The parameters as members of a JSON object; lists may be written as arrays.',
  receives: 'texts',
  requestBody: { required: true, content: { 'application/json': { schema: schemaRef('StatsQueryBody') } } },
})

export const statsEndpoints = [byUrl, byBody]

export const statsTag = {
  name: 'Aggregates',
  description: 'Counts, sums, means and extremes over the records that the caller may read.',
}
