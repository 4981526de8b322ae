import { z } from 'zod'
import { ACTIONS, EXPLANATION_PATH, ExplainEnvelope } from '../../contract/explain.ts'
import { callerWith } from '../../http/endpoint/access.ts'
import { declare, withData } from '../../http/endpoint/declare.ts'
import { expecting } from '../../http/endpoint/read-input.ts'
import { inRussian } from '../../http/response/russian-error-details.ts'
import { loadPrincipal } from '../../identity/load-principal.ts'
import { findUserId } from '../../identity/manage-users.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { RecordDeps } from '../../records/record-deps.ts'
import { explainRecordAccess } from '../../records/rights/explain-record-access.ts'
import { type FaceDeps, namesOf, readNames } from './names-of-question.ts'

const text = (description: string) => z.string().optional().meta({ description })

/**
 * Which rule decides, and why: docs/spec/records.md, section 7. For administrators, because the response reveals records that
 * rules hide.
 */
export const explainEndpoint = declare({
  id: 'explain',
  path: EXPLANATION_PATH,
  methods: ['GET'],
  tag: 'Rights',
  summary: 'Which rule decides, and why',
  description: 'For the roles admin and security_admin.',
  access: callerWith(['admin', 'security_admin'], 'see which rule decides'),
  input: {
    table: expecting('the name of a table', z.string().meta({ description: 'System name of the table.' })),
    operation: expecting(
      ACTIONS.join(', '),
      z.enum(ACTIONS).default('read').meta({ description: 'What is to be done.' }),
    ),
    sys_id: text('A record on which the conditions are evaluated.'),
    column: text('A column of the table.'),
    user: text('Whose rights: a user name; your own without it.'),
    face: expecting(
      'now',
      z.enum(['now']).optional().meta({ description: 'Table, column and sys_id are those of `/api/now`.' }),
    ),
  },
  otherNames: 'ignored',
  receives: 'nothing',
  output: ExplainEnvelope,
  errors: [404],
  isGated: true,
  async handle(deps: FaceDeps, { user, face, ...question }, { principal, language }) {
    const { records } = deps
    const { table, operation, sys_id: sysId = null, column = null } = question
    const whose = user === undefined ? succeed(principal) : await principalNamed(records, user)
    if (!whose.ok) return whose
    const named = { table, column, sysId }
    const read = face === undefined ? succeed({ ...named, names: null }) : await readNames(named, deps)
    if (!read.ok) return read
    const { names, ...own } = read.value
    const explained = await explainRecordAccess(records, { ...own, operation, principal: whose.value })
    if (!explained.ok) return explained
    const { reason } = explained.value
    return withData(
      succeed({
        ...explained.value,
        reason: language === 'en' ? reason : inRussian(reason),
        ...(names === null ? {} : { names: namesOf(explained.value, column, names) }),
      }),
    )
  },
})

async function principalNamed({ database }: RecordDeps, userName: string): Promise<Result<Principal, Problem>> {
  const id = await findUserId(database, userName)
  const loaded = id === undefined ? undefined : await loadPrincipal(database, id)
  return loaded === undefined
    ? fail({ kind: 'thing-not-found', thing: 'user', name: userName })
    : succeed(loaded.principal)
}
