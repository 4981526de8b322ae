import { useQueries, useQueryClient } from '@tanstack/react-query'
import { docket } from '../docket.ts'
import type { Column, TableInfo } from './table-info.ts'
import { tableQuery } from './use-table.ts'

/** Max. references in a path, as in the API. */
export const maxHops = 5

/** The column at the end of a path through references, with the titles on the way. */
export interface PathColumn {
  readonly path: string
  readonly title: string
  readonly column: Column
}

export interface PathColumns {
  /** By path. Paths that do not exist or that the caller may not read are left out. */
  readonly columns: ReadonlyMap<string, PathColumn>
  /** A table on the way is still being read. */
  readonly isPending: boolean
}

/** Columns of paths such as `caller.company.name`. Each table on the way is read once, as soon as the hop before is known. */
export function usePathColumns(info: TableInfo, paths: readonly string[]): PathColumns {
  const client = useQueryClient()
  const known = (name: string): TableInfo | undefined => client.getQueryData(tableQuery(name).queryKey)
  const targets = [...new Set(paths.flatMap((path) => targetsOf(info, path, known)))]
  const results = useQueries({ queries: targets.map(tableQuery) })
  const found = paths.flatMap((path) => {
    const column = resolvePath(info, path, known)
    return column === null ? [] : [[path, column] as const]
  })
  return { columns: new Map(found), isPending: results.some(({ isPending }) => isPending) }
}

type Known = (table: string) => TableInfo | undefined

/** Tables on the path as far as known, and the first one that is not. */
function targetsOf(info: TableInfo, path: string, known: Known): readonly string[] {
  const targets: string[] = []
  let at: TableInfo | undefined = info
  for (const name of path.split('.').slice(0, -1).slice(0, maxHops)) {
    const target: string | null | undefined = at?.columns.get(name)?.target
    if (target == null) break
    targets.push(target)
    at = known(target)
  }
  return targets
}

function resolvePath(info: TableInfo, path: string, known: Known): PathColumn | null {
  const names = path.split('.')
  const titles: string[] = []
  let at: TableInfo | undefined = info
  for (const [depth, name] of names.entries()) {
    const column: Column | undefined = at?.columns.get(name)
    if (column === undefined || column.rights.read === 'never') return null
    titles.push(column.title)
    if (depth === names.length - 1) return { path, title: titles.join(' › '), column }
    at = column.target === null ? undefined : known(column.target)
  }
  return null
}

interface RecordId {
  readonly table: string
  readonly sysId: string
}

/** Display values of records by sys_id; undefined while they are read, null if the caller may not read them. */
export function useRecordNames(
  wanted: readonly RecordId[],
): (table: string, sysId: string) => string | null | undefined {
  const client = useQueryClient()
  const keyOf = ({ table, sysId }: RecordId): readonly string[] => ['display-name', table, sysId]
  const unique = [...new Map(wanted.map((each) => [keyOf(each).join(), each])).values()]
  useQueries({
    queries: unique.map((each) => ({
      queryKey: keyOf(each),
      staleTime: 300_000,
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
        const { displayColumn } = await client.ensureQueryData(tableQuery(each.table))
        const row = await docket
          .table(each.table)
          .list(`sys_id=${each.sysId}`, { fields: [displayColumn], display: 'all', signal })
          .first()
        return row?.[displayColumn]?.display_value ?? null
      },
    })),
  })
  return (table, sysId) => client.getQueryData<string | null>(keyOf({ table, sysId }))
}

export const useRecordName = (table: string | null, sysId: string): string | null | undefined => {
  const isId = table !== null && /^\d+$/.test(sysId)
  return useRecordNames(isId ? [{ table, sysId }] : [])(table ?? '', sysId)
}
