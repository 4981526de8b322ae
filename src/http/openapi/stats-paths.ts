import { STATS_ONLY_PARAMETERS } from '../../contract/record-parameters.ts'
import { StatsAnswer } from '../../contract/stats.ts'
import { type ApiPart, inPath, inQuery, operation } from './write-openapi.ts'

const SHARED = [
  'sysparm_query',
  'sysparm_display_value',
  'sysparm_exclude_reference_link',
  'sysparm_limit',
  'sysparm_page',
  'sysparm_offset',
]

export const statsPart: ApiPart = {
  tags: [
    { name: 'Aggregates', description: 'Counts, sums, means and extremes over the records that the caller may read.' },
  ],
  schemas: { Stats: StatsAnswer },
  paths: {
    '/rest/v1/stats/{table}': {
      get: operation({
        id: 'stats',
        tag: 'Aggregates',
        summary: 'Count and sum records, in groups',
        description:
          'Only records that the caller may read are counted, and values that they may not see count as empty. ' +
          'Without sysparm_limit all groups are given, up to the cap of a list.',
        parameters: [
          inPath('table', 'System name of a table, such as task.'),
          ...SHARED.map((name) => ({ $ref: `#/components/parameters/${name}` })),
          ...Object.entries(STATS_ONLY_PARAMETERS).map(([name, { description, schema }]) =>
            inQuery(name, description, schema),
          ),
        ],
        answer: 'Stats',
        headers: ['X-Total-Count', 'Link', 'X-Limit-Clamped', 'X-Ignored-Parameters'],
        errors: [400, 401, 403, 404, 406, 414, 422, 500, 503],
      }),
    },
  },
}
