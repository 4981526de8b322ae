import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { all, type ConditionTree, NotFound } from 'docket-client'
import { docket } from '../docket.ts'
import { readQuery } from '../list/list-query.ts'
import { useTermTitle } from '../list/term-title.ts'
import { t } from '../messages/i18n.ts'
import { useRecordName } from '../table/field-path.ts'
import type { TableInfo } from '../table/table-info.ts'
import { useTable } from '../table/use-table.ts'
import { FirstRead } from '../ui/first-read.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import css from './access.module.css'

interface ExplainedRule {
  readonly sys_id: string
  readonly description: string
  readonly roles: readonly string[]
  readonly condition: string
  readonly verdict: 'passes' | 'passes-on-condition' | 'role-missing' | 'condition-unusable'
  /** Only with a record. */
  readonly holds?: boolean
}

type Verdict = 'allowed' | 'refused' | 'on_condition'

interface ExplainedDecision {
  readonly verdict: Verdict
  /** `task`, `task.state`, `*`; null: no level has a rule. */
  readonly level: string | null
  readonly rules: readonly ExplainedRule[]
}

/** As the server sends it (`GET /rest/v1/acl/explain`). */
interface Explained {
  readonly verdict: Verdict
  readonly table_decision: ExplainedDecision
  readonly column_decision: ExplainedDecision | null
  readonly reason: string
}

/** What the rules decide now, which may differ from what they decided when a request was denied. */
export function Explanation({ query }: { readonly query: string }) {
  const queryKey = ['explain', query]
  const explained = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      docket.request<Explained>({ method: 'GET', path: `/rest/v1/acl/explain?${query}`, signal }),
    staleTime: 0,
  })
  const { data, error, refetch } = explained
  if (error !== null)
    return (
      <ErrorBanner error={error} onRetry={() => void refetch()}>
        {/* Which of user, table, column and record does not exist. */}
        {error instanceof NotFound && error.message}
      </ErrorBanner>
    )
  if (data === undefined) return <FirstRead queryKey={queryKey} read={explained} lines={3} />
  const decisions = [data.column_decision, data.table_decision].filter((each) => each !== null && each.level !== null)
  const request = new URLSearchParams(query)
  const [table, sysId] = [request.get('table') ?? '', request.get('sys_id') ?? '']
  return (
    <div className={css.explanation} data-verdict={data.verdict}>
      <p>
        <strong>{t(`denials.${data.verdict}`)}</strong> {decisions.length === 0 && data.reason}
      </p>
      {sysId !== '' && <NamedRecord table={table} sysId={sysId} />}
      {decisions.length === 0 && <p>{t('denials.noRule')}</p>}
      {decisions.map((each) => each !== null && <Level key={each.level} table={table} {...each} />)}
    </div>
  )
}

function NamedRecord({ table, sysId }: { readonly table: string; readonly sysId: string }) {
  const name = useRecordName(table, sysId)
  return (
    <p>
      {t('access.about')}{' '}
      <Link to="/t/$table/$sysId" params={{ table, sysId }}>
        {name ?? sysId}
      </Link>
    </p>
  )
}

/** The rules of the level that decides about the column, or about the table. */
function Level({ table, level, verdict, rules }: ExplainedDecision & { readonly table: string }) {
  return (
    <section aria-label={level ?? ''}>
      <p>
        <code>{level}</code> — {t(`denials.${verdict}`)} {t('access.rules', { count: rules.length })}
      </p>
      <ul>
        {rules.map((rule) => (
          <li key={rule.sys_id}>
            <Link to="/t/$table/$sysId" params={{ table: 'sys_security_acl', sysId: rule.sys_id }}>
              {rule.description || rule.sys_id}
            </Link>
            <span>{t(`access.${stateOf(rule)}`)}</span>
            {rule.roles.length > 0 && <span>{t('denials.roles', { roles: rule.roles.join(', ') })}</span>}
            {rule.condition !== '' && <RuleCondition table={table} text={rule.condition} />}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** In words, as above a list. As it is stored if it cannot be read, or if the administrator may not see the table. */
function RuleCondition({ table, text }: { readonly table: string; readonly text: string }) {
  const { data: info, isPending } = useTable(table)
  const read = readQuery(text)
  const [first, ...others] = read.ok ? read.query.terms : []
  if (isPending) return null
  if (info === undefined || first === undefined) return <code>{text}</code>
  return <ConditionWords info={info} term={all(first, ...others)} text={text} />
}

interface ConditionWordsProps {
  readonly info: TableInfo
  readonly term: ConditionTree
  /** The pointer displays it. */
  readonly text: string
}

const ConditionWords = ({ info, term, text }: ConditionWordsProps) => (
  <span title={text}>{useTermTitle(info, term)}</span>
)

/** What the rule does for the user. */
function stateOf({ verdict, holds }: ExplainedRule) {
  if (verdict === 'passes' || holds === true) return 'passes'
  if (verdict === 'role-missing') return 'roleMissing'
  if (verdict === 'condition-unusable') return 'unusable'
  return holds === false ? 'fails' : 'onCondition'
}
