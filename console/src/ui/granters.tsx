import { QueryClientContext, useQuery } from '@tanstack/react-query'
import { useContext } from 'react'
import { docket } from '../docket.ts'
import { t } from '../messages/i18n.ts'
import { useTables } from '../table/use-table.ts'

const maxNames = 3

/**
 * Names of users who can grant rights. Read with the rights of the user: only those who may read who has which role see names.
 * The sign-in page has no client of queries, and nobody is known there.
 */
export function Granters() {
  return useContext(QueryClientContext) === undefined ? null : <Names />
}

function Names() {
  const { data: tables = [] } = useTables()
  const isReadable = (table: string): boolean => tables.some(({ name }) => name === table)
  const { data: names = [] } = useQuery({
    queryKey: ['granters'],
    enabled: isReadable('sys_user_has_role') && isReadable('sys_role') && isReadable('user'),
    queryFn: ({ signal }) => readGranters(signal),
  })
  return names.length === 0 ? null : ` ${t('state.grantedBy', { names: names.join(', ') })}`
}

/** An error of this request is none of the user's: the sentence beside it is enough. */
async function readGranters(signal: AbortSignal): Promise<readonly string[]> {
  const query = 'role_id.nameINadmin,security_admin^user_id.active=true^ORDERBYuser_id.display_name'
  const rows = await docket
    .table('sys_user_has_role')
    .toArray(query, { fields: ['user_id'], display: 'all', max: 10, signal })
    .catch(() => [])
  const names = rows.flatMap((row) => row['user_id']?.display_value ?? [])
  return [...new Set(names)].slice(0, maxNames)
}
