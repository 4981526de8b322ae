import { useQuery } from '@tanstack/react-query'
import { usePreference } from '../preferences.ts'
import { type Reference, readReferences } from '../table/reference-picker.tsx'
import { useTable } from '../table/use-table.ts'

const maxRecent = 5

interface Recent {
  readonly ids?: readonly string[]
}

const idsOf = (stored: Recent | null): readonly string[] =>
  (stored?.ids ?? []).filter((id) => /^\d+$/.test(id)).slice(0, maxRecent)

interface RecentReferences {
  /** Those that the user may still read, the latest first. */
  readonly recent: readonly Reference[]
  readonly remember: (sysId: string) => void
}

/** Records of a table that the user chose last, in any field and browser. Only ids are stored: names are read again. */
export function useRecentReferences(table: string, isWanted: boolean): RecentReferences {
  const { value, change } = usePreference<Recent>(`recent.${table}`)
  const ids = idsOf(value)
  const { data: info } = useTable(table, isWanted && ids.length > 0)
  const { data = [] } = useQuery({
    queryKey: ['recent', table, ...ids],
    enabled: isWanted && ids.length > 0 && info !== undefined,
    queryFn: async ({ signal }) =>
      info === undefined ? [] : readReferences(info, `sys_idIN${ids.join(',')}`, { signal, max: maxRecent }),
  })
  const remember = (sysId: string): void => {
    // The field works without the latest choices, so an error while they are stored is not displayed.
    change((stored) => ({ ids: [sysId, ...idsOf(stored).filter((id) => id !== sysId)].slice(0, maxRecent) })).catch(
      () => undefined,
    )
  }
  return { recent: ids.flatMap((id) => data.filter(({ value: found }) => found === id)), remember }
}
