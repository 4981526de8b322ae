import { z } from 'zod'
import type { Catalog } from '../../catalog/catalog.ts'
import { type DenialResponse, DenialsEnvelope } from '../../contract/denials.ts'
import { callerWith } from '../../http/endpoint/access.ts'
import { declare } from '../../http/endpoint/declare.ts'
import { whole } from '../../http/endpoint/read-input.ts'
import { errorOf } from '../../http/response/error-messages.ts'
import { explanationPath } from '../../http/response/explain-denial.ts'
import type { DenialProblem } from '../../identity/denial.ts'
import { listDenials, type StoredDenial } from '../../identity/denial-store.ts'
import { succeed } from '../../kernel/result.ts'
import { ROOT as NOW_ROOT } from '../now/now-errors.ts'
import type { FaceDeps } from '../records/names-of-question.ts'

const maxDenials = 1_000

/** For administrators, because the response reveals which rights others lack. */
export const denialEndpoint = declare({
  id: 'denials',
  path: '/v1/denials',
  methods: ['GET'],
  tag: 'Rights',
  summary: 'Requests that were rejected because a right is missing, the latest first',
  description:
    'For the roles admin and security_admin. Equal requests of a user are one element. The server keeps the latest 1,000, and 50 of a user. ' +
    'A new denial is listed within a few seconds. Records that a caller may not read are not found, and a list leaves them out: neither is a denial.',
  access: callerWith(['admin', 'security_admin'], 'see which requests were denied'),
  input: {
    sysparm_limit: whole(
      z.int().min(1).max(maxDenials).default(20).meta({ description: 'Maximum number of denials to return.' }),
    ),
    user: z.string().optional().meta({ description: 'Only requests of this user: a user name.' }),
    table: z.string().optional().meta({ description: 'Only requests to this table.' }),
  },
  receives: 'nothing',
  output: DenialsEnvelope,
  errors: [],
  limits: [{ name: 'sysparm_limit of denials', value: maxDenials, unit: 'denials', status: 400 }],
  isGated: true,
  async handle(
    { records, face }: FaceDeps,
    { sysparm_limit: limit, user = null, table = null },
    { baseUrl, language },
  ) {
    const catalog = await records.catalog.upToDate()
    const denials = await listDenials(records.database, { userName: user, table, limit })
    return succeed({ data: denials.map((denial) => toResponse(denial, { catalog, face, baseUrl, language })) })
  },
})

interface Context extends Pick<FaceDeps, 'face'> {
  readonly catalog: Catalog
  readonly baseUrl: string
  readonly language: 'en' | 'ru'
}

function toResponse(denial: StoredDenial, context: Context): DenialResponse {
  const { userId, userName, displayName, problem, table, recordId } = denial
  const { baseUrl, language } = context
  return {
    user: {
      value: userId,
      display_value: displayName,
      user_name: userName,
      link: `${baseUrl}/rest/v1/table/user/${userId}`,
    },
    reason: REASONS[problem.kind],
    message: errorOf(problem, language).message,
    operation: 'action' in problem ? problem.action : null,
    table,
    record: recordId,
    column: columnOf(problem),
    roles: problem.kind === 'role-needed' ? [...problem.roles] : [],
    method: denial.method,
    route: denial.route,
    requests: denial.requests,
    first_at: denial.firstAt,
    last_at: denial.lastAt,
    explain: explanationOf(denial, context),
  }
}

const REASONS: { readonly [K in DenialProblem['kind']]: DenialResponse['reason'] } = {
  'table-denied': 'table',
  'column-denied': 'column',
  'record-denied': 'record',
  'write-denied': 'built_in_rule',
  'role-needed': 'role',
  'key-narrowed': 'narrowed_key',
}

function columnOf(problem: DenialProblem): string | null {
  if (problem.kind === 'column-denied') return problem.column
  return problem.kind === 'write-denied' ? problem.field : null
}

/** null: no access rule decided, or the table is not in the dictionary (any more). */
function explanationOf(
  { problem, table, recordId, userName, route }: StoredDenial,
  { catalog, face, baseUrl }: Context,
) {
  if (!('action' in problem) || table === null) return null
  const isOfFace = route.startsWith(`${NOW_ROOT}/`)
  const isKnown = isOfFace ? face?.namesIn(catalog).tableNamed(table) !== undefined : catalog.tables.has(table)
  const path = isKnown ? explanationPath(problem, { userName, recordId }) : null
  return path === null ? null : `${baseUrl}${path}${isOfFace ? '&face=now' : ''}`
}
