import { type JobResponse, JobsEnvelope } from '../../contract/jobs.ts'
import { callerWith } from '../../http/endpoint/access.ts'
import { declare } from '../../http/endpoint/declare.ts'
import { errorOf } from '../../http/response/error-messages.ts'
import { inRussian } from '../../http/response/russian-error-details.ts'
import { type JobGroup, listJobs } from '../../jobs/list-jobs.ts'
import { succeed } from '../../kernel/result.ts'
import type { RecordDeps } from '../../records/record-deps.ts'

/** For administrators: names of collections, webhooks and indexes, whatever the rules of their tables. */
export const jobEndpoint = declare({
  id: 'jobs',
  path: '/v1/jobs',
  methods: ['GET'],
  tag: 'Server',
  summary: 'Background work that runs, waits or has failed',
  description:
    'For the role admin. Work in the same state for the same collection, webhook or index is one element; what failed comes first. ' +
    'Imports, exports and bulk changes are requests: their callers get the result. A backup is a command of its own.',
  access: callerWith(['admin'], 'see background work'),
  input: {},
  receives: 'nothing',
  output: JobsEnvelope,
  errors: [],
  isGated: true,
  async handle({ records }: { readonly records: RecordDeps }, _input, { language }) {
    const groups = await listJobs(records.database)
    return succeed({ data: groups.map((group) => toResponse(group, language)) })
  },
})

function toResponse({ kind, state, name, count, since, ...group }: JobGroup, language: 'en' | 'ru'): JobResponse {
  const { error, problem, table, query } = group
  return {
    ...{ kind, state, name, count, since },
    error: problem === null ? sentenceIn(language, error) : errorOf(problem, language).message,
    records: table === null || query === null ? null : { table, query },
  }
}

/** What the work itself reported; PostgreSQL's and other programs' sentences stay as they are. */
const sentenceIn = (language: 'en' | 'ru', error: string | null): string | null =>
  error === null || language === 'en' ? error : inRussian(error)
