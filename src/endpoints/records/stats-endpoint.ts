import { STATS_ONLY_PARAMETERS } from '../../contract/record-parameters.ts'
import { StatsEnvelope } from '../../contract/stats.ts'
import { declare } from '../../http/endpoint/declare.ts'
import { inQuery } from '../../http/openapi/write-openapi.ts'
import { MAX_AGGREGATES, MAX_GROUP_FIELDS, MAX_HAVING } from '../../records/parse/parse-stats.ts'
import { TABLE_PATH } from '../record-path.ts'
import { RECORD_LIMITS, respondTo, shared } from './record-endpoints.ts'
import { parametersNamed } from './record-parameters.ts'

const ofLists = [
  'sysparm_query',
  'sysparm_display_value',
  'sysparm_exclude_reference_link',
  'sysparm_limit',
  'sysparm_page',
  'sysparm_offset',
]

export const statsEndpoint = declare({
  ...shared,
  id: 'stats',
  path: '/rest/v1/stats/{table}',
  methods: ['GET'],
  tag: 'Aggregates',
  summary: 'Count and sum records, in groups',
  description:
    'Only records that the caller may read are counted, and values that they may not see count as empty. ' +
    'Without sysparm_limit all groups are given, up to the cap of a list.',
  receives: 'nothing',
  parameters: [
    ...parametersNamed(ofLists),
    ...Object.entries(STATS_ONLY_PARAMETERS).map(([name, { description, schema }]) =>
      inQuery(name, description, schema),
    ),
  ],
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
})

export const statsTag = {
  name: 'Aggregates',
  description: 'Counts, sums, means and extremes over the records that the caller may read.',
}
