import type { AccessRule, Catalog } from '../../catalog/catalog.ts'
import { conditionProblem } from '../../records/dictionary/condition-problem.ts'
import { type Check, type DatabaseGround, listNames } from '../check.ts'

/** Access rules that name a table, column or role that is not there: they grant nothing, without a word. */
export const checkRules: Check<DatabaseGround> = {
  name: 'access rules',
  async run({ catalog }) {
    const summary = `${catalog.rules.length}`
    const broken = catalog.rules.flatMap((rule) => {
      const fault = faultOf(rule, catalog)
      return fault === null ? [] : [{ id: rule.id, place: placeOf(rule), fault }]
    })
    const [first] = broken
    if (first === undefined) return { summary, findings: [] }
    const what = `An access rule has no effect: ${first.fault}`
    const where = listNames(broken.map(({ id, place }) => `${place} (sys_security_acl ${id})`))
    const cure = `correct or delete it: PATCH /rest/v1/table/sys_security_acl/${first.id}`
    return { summary, findings: [{ fault: 'rule-broken', what, where, cure }] }
  },
}

/** load-catalog.ts writes this and the sys_id in place of the name of a role that is gone. */
const goneRole = 'no such role '

const placeOf = ({ operation, table, column }: AccessRule): string =>
  `${operation} ${table}${column === null ? '' : `.${column}`}`

function faultOf({ table: name, column, roles, condition }: AccessRule, catalog: Catalog): string | null {
  const table = catalog.tables.get(name)
  if (table === undefined && name !== '*') return `there is no table ${name}`
  const tables = (table?.descendants ?? [...catalog.tables.keys()]).flatMap((each) => catalog.tables.get(each) ?? [])
  if (column !== null && column !== '*' && !tables.some(({ columns }) => columns.has(column)))
    return `there is no column ${column} in ${name}`
  const missing = roles.find((role) => role.startsWith(goneRole))
  if (missing !== undefined) return `there is no role ${missing.slice(goneRole.length)}`
  const problem = conditionProblem(condition, table ?? null, catalog)
  return problem === null ? null : detailOf(problem)
}

export function detailOf(problem: { readonly kind: string; readonly detail?: unknown }): string {
  return typeof problem.detail === 'string' ? problem.detail : problem.kind
}
