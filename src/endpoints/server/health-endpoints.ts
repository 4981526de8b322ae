import { z } from 'zod'
import { successOf } from '../../contract/envelope.ts'
import { ANONYMOUS } from '../../http/endpoint/access.ts'
import { declare } from '../../http/endpoint/declare.ts'
import { fail, succeed } from '../../kernel/result.ts'

export interface HealthDeps {
  /** Whether the database has Docket's schema; rejects if the database cannot respond. */
  readonly isReady: () => Promise<boolean>
  /** Warnings for the operator while the server is ready, each a sentence. */
  readonly readyWarnings: () => Promise<readonly string[]>
  /** Progress of the search index; null: every collection can be searched. */
  readonly searchProgress: () => { readonly percent: number } | null
}

const State = successOf(
  z.object({
    state: z.string().meta({ description: 'State of the server.' }),
    warnings: z
      .array(z.string())
      .optional()
      .meta({ description: 'What the operator should know, such as servers that do not share a file store.' }),
    search_index: z
      .object({
        state: z.literal('building').meta({ description: 'Searches of collections that are not indexed yet are 503.' }),
        percent: z.int().min(0).max(99).meta({ description: 'How much is indexed.' }),
      })
      .optional()
      .meta({ description: 'Absent: every collection can be searched.' }),
  }),
).meta({ id: 'State' })

const shared = {
  methods: ['GET'],
  tag: 'Server',
  access: ANONYMOUS,
  input: {},
  otherNames: 'ignored',
  receives: 'nothing',
  output: State,
  isGated: false,
} as const

function searchIndexOf({ searchProgress }: Pick<HealthDeps, 'searchProgress'>) {
  const progress = searchProgress()
  return progress === null ? {} : { search_index: { state: 'building' as const, percent: progress.percent } }
}

const healthEndpoint = declare({
  ...shared,
  id: 'health',
  path: '/health',
  summary: 'Whether the server responds',
  description: '200 as long as the process runs. The database is not checked.',
  errors: [],
  handle: async (deps: HealthDeps) => succeed({ data: { state: 'up', ...searchIndexOf(deps) } }),
})

const readyEndpoint = declare({
  ...shared,
  id: 'ready',
  path: '/ready',
  summary: 'Whether the server can process requests',
  description:
    '503 until the database responds and has the schema of this version. `search_index` tells whether collections are still being indexed.',
  errors: [503],
  async handle({ isReady, readyWarnings, searchProgress }: HealthDeps) {
    if (!(await isReady())) {
      const detail = 'The database has no Docket schema; restart Docket to create it'
      return fail({ kind: 'unavailable', detail, retryAfterSeconds: 5 })
    }
    const warnings = await readyWarnings()
    return succeed({
      data: { state: 'ready', ...(warnings.length === 0 ? {} : { warnings }), ...searchIndexOf({ searchProgress }) },
    })
  },
})

/**
 * `/health`: this process responds. `/ready`: it can also respond to record requests. Both without credentials. The server
 * listens only after the schema is migrated and the administrator exists (main.ts), so neither is 200 earlier.
 */
export const healthEndpoints = [healthEndpoint, readyEndpoint]
