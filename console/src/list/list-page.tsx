import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Navigate, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useRef } from 'react'
import { useSession } from '../app.tsx'
import { t } from '../messages/i18n.ts'
import { tableQuery, useTable } from '../table/use-table.ts'
import { FirstRead } from '../ui/first-read.tsx'
import { ErrorPage, messageOf } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'
import { useIsGone } from '../ui/use-is-gone.ts'
import { List } from './list.tsx'
import { listAddress } from './list-address.ts'
import { isTooLong, type ListState, searchOf, stateOf } from './list-state.ts'
import { createFilter, filterQuery, isModified, type SavedFilter, searchOfFilter } from './saved-filters.ts'

/** /t/{table}: the address holds the whole state. */
export function ListPage() {
  const { table } = useParams({ from: '/t/$table' })
  const search = useSearch({ from: '/t/$table' })
  return <TableList key={table} table={table} state={stateOf(search)} />
}

/** /f/{sys_id}: a saved filter, opened with the rights of the current user. */
export function FilterPage() {
  const { filter: sysId } = useParams({ from: '/f/$filter' })
  const { peek, filter: named } = useSearch({ from: '/f/$filter' })
  const saved = useQuery(filterQuery(sysId))
  const { data: filter, error, refetch } = saved
  if (error !== null) return <ErrorPage error={error} onRetry={() => void refetch()} />
  if (filter === undefined) return <FirstRead queryKey={filterQuery(sysId).queryKey} read={saved} lines={10} isPage />
  const found = searchOfFilter(filter)
  const search = { ...found, peek, filter: found.filter ?? named }
  if (!isTooLong(search)) return <Navigate to="/t/$table" params={{ table: filter.table }} search={search} replace />
  return <TableList key={filter.table} table={filter.table} state={stateOf(search)} filter={filter} />
}

interface TableListProps {
  readonly table: string
  readonly state: ListState
  /** Saved filter whose condition is too long for an address. */
  readonly filter?: SavedFilter
}

function TableList({ table, state, filter }: TableListProps) {
  const described = useTable(table)
  const { data: info, error, refetch } = described
  const go = useStateAddress(table, filter)
  if (error !== null) return <ErrorPage error={error} onRetry={() => void refetch()} />
  if (info === undefined) return <FirstRead queryKey={tableQuery(table).queryKey} read={described} lines={10} isPage />
  return <List info={info} state={state} onState={go} />
}

/** Writes the state into the address. A state that is too long is stored as a filter without a title, so that its address can be shared. */
function useStateAddress(table: string, filter: SavedFilter | undefined) {
  const navigate = useNavigate()
  const client = useQueryClient()
  const { user } = useSession()
  const isGone = useIsGone()
  /** How often the user has chosen another list: what is stored late may not be the last choice. */
  const choices = useRef(0)
  const store = async (state: ListState, replace: boolean): Promise<void> => {
    const { peek, filter: named } = state
    const address = listAddress()
    const { current: choice } = choices
    // One with a title is only that of the state: another one may have been deleted.
    const isSame = (each: SavedFilter | undefined): boolean =>
      each !== undefined && (each.title === '' || each.sysId === named) && !isModified(each, state)
    let stored = [client.getQueryData(filterQuery(named ?? '').queryKey), filter].find(isSame)
    if (stored === undefined) {
      stored = await createFilter({ title: '', table, owner: user.sys_id, state, widths: undefined })
      client.setQueryData(filterQuery(stored.sysId).queryKey, stored)
      // The user may have opened a record, another list or other conditions meanwhile.
      if (isGone.current || listAddress() !== address || choices.current !== choice) return
    }
    const { sysId } = stored
    const search = { peek, filter: named === sysId ? undefined : named }
    await navigate({ to: '/f/$filter', params: { filter: sysId }, search, replace })
  }
  return (state: ListState, isStep: boolean): void => {
    const search = searchOf(state)
    // Looking at a record beside the list chooses no other one.
    if (isStep) choices.current += 1
    if (isTooLong(search))
      store(state, !isStep).catch((error: unknown) => showToast(t('filters.notStored', { reason: messageOf(error) })))
    else void navigate({ to: '/t/$table', params: { table }, search, replace: !isStep })
  }
}
