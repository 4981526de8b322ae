import { QueryClientContext, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { DocketError } from 'docket-client'
import { useContext } from 'react'
import { docket } from '../docket.ts'
import { t } from '../messages/i18n.ts'
import { useTables } from '../table/use-table.ts'

const maxNames = 3

/**
 * What helps against a missing right: who grants it, with names if the user may read who has which role; for administrators of rules, a link
 * to the rules that decide. The sign-in page has no client of queries, and nobody is known there.
 */
export function Granters({ error }: { readonly error: DocketError }) {
  const explain = error.errors[0]?.explain
  if (useContext(QueryClientContext) === undefined) return null
  if (explain === undefined) return <Names />
  return (
    <>
      {' '}
      <Link to="/admin/access" search={Object.fromEntries(new URL(explain).searchParams)}>
        {t('grant.why')}
      </Link>
    </>
  )
}

function Names() {
  const { data: tables = [] } = useTables()
  const isReadable = (table: string): boolean => tables.some(({ name }) => name === table)
  const { data: names = [] } = useQuery({
    queryKey: ['granters'],
    enabled: isReadable('sys_user_has_role') && isReadable('sys_role') && isReadable('user'),
    queryFn: ({ signal }) => readGranters(signal),
  })
  const examples = names.length === 0 ? '' : ` ${t('grant.examples', { names: names.join(', ') })}`
  return ` ${t('grant.who')}${examples}`
}

/** An error of this request is none of the user's: the sentence beside it is enough. */
async function readGranters(signal: AbortSignal): Promise<readonly string[]> {
  const query = 'role_id.nameINadmin,security_admin^user_id.active=true^ORDERBYuser_id.display_name'
  const rows = await docket
    .table('sys_user_has_role')
    .list(query, { fields: ['user_id'], display: 'all', signal })
    .toArray({ max: 10 })
    .catch(() => [])
  const names = rows.flatMap((row) => row['user_id']?.display_value ?? [])
  return [...new Set(names)].slice(0, maxNames)
}
