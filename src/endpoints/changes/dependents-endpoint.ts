import { DependentsEnvelope, type DependentsResponse } from '../../contract/dependents.ts'
import { CALLER_AS_OF_EPOCH } from '../../http/endpoint/access.ts'
import { declare } from '../../http/endpoint/declare.ts'
import { describeProblem } from '../../http/response/error-messages.ts'
import type { Problem } from '../../kernel/problem.ts'
import { succeed } from '../../kernel/result.ts'
import type { DependentsFound } from '../../records/delete/read-dependents.ts'
import type { RecordDeps } from '../../records/record-deps.ts'
import { RecordService } from '../../records/record-service.ts'
import { RECORD_PATH } from '../record-path.ts'
import { serviceCaller } from '../service-caller.ts'

export const dependentsEndpoint = declare({
  id: 'dependents',
  path: '/rest/v1/table/{table}/{sys_id}/dependents',
  methods: ['GET'],
  tag: 'Changes',
  summary: 'Show what a delete of a record would touch',
  description:
    'Records that refer to the record, by table and column, as far as the caller may read them, with what a DELETE does to them (on_delete of the column), and the error of a DELETE if it is blocked. Nothing is changed. If `blocked` is TOO_MANY_DEPENDENTS, the counts are those found until then.',
  access: CALLER_AS_OF_EPOCH,
  input: {},
  otherNames: 'ignored',
  receives: 'nothing',
  inPath: RECORD_PATH,
  output: DependentsEnvelope,
  errors: [403, 404, 409, 422],
  isGated: false,
  async handle({ records }: { readonly records: RecordDeps }, _input, request) {
    const { table = '', sys_id: sysId = '' } = request.path
    const found = await new RecordService(records, serviceCaller(request)).dependents(table, sysId)
    return found.ok ? succeed({ data: describe(found.value, request.principal.language) }) : found
  },
})

const describe = ({ blocked, dependents }: DependentsFound, language: 'en' | 'ru'): DependentsResponse => ({
  blocked: blocked === null ? null : blockedBy(blocked, language),
  dependents: [...dependents],
})

function blockedBy(problem: Problem, language: 'en' | 'ru'): NonNullable<DependentsResponse['blocked']> {
  const { status, error } = describeProblem(problem, language)
  const { code, message, reason } = error
  return { status, code, message, ...(reason === undefined ? {} : { reason }) }
}
