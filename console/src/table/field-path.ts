import { useQueries, useQuery } from '@tanstack/react-query'
import { docket } from '../docket.ts'
import { type Column, readTableInfo, type TableInfo } from './table-info.ts'
import { useTables } from './use-table.ts'

/** A column that a path through references leads to, with the titles on the way. */
export interface PathColumn {
  readonly path: string
  readonly title: string
  readonly column: Column
}

/** Columns of paths such as `caller.company.name`; paths that lead nowhere are left out. */
export function usePathColumns(info: TableInfo, paths: readonly string[]): ReadonlyMap<string, PathColumn> {
  const { data: tables = [] } = useTables()
  const targets = [...new Set(paths.flatMap((path) => targetsOnTheWay(info, path)))]
  const infos = useQueries({
    queries: targets.map((name) => ({
      queryKey: ['table', name],
      enabled: tables.some((table) => table.name === name),
      staleTime: 300_000,
      queryFn: () => readTableInfo(tables, name),
    })),
  })
  const known = new Map(
    targets.flatMap((name, at) => (infos[at]?.data === undefined ? [] : [[name, infos[at].data] as const])),
  )
  return new Map(
    paths.flatMap((path) => {
      const found = resolvePath(info, path, known)
      return found === null ? [] : [[path, found] as const]
    }),
  )
}

/** Only the first hop is known without further reads; deeper ones follow when it is there. */
function targetsOnTheWay(info: TableInfo, path: string): readonly string[] {
  const [first, ...rest] = path.split('.')
  const target = rest.length === 0 ? null : info.columns.get(first ?? '')?.target
  return target == null ? [] : [target]
}

function resolvePath(info: TableInfo, path: string, known: ReadonlyMap<string, TableInfo>): PathColumn | null {
  const names = path.split('.')
  const titles: string[] = []
  let at: TableInfo | undefined = info
  for (const [depth, name] of names.entries()) {
    const column: Column | undefined = at?.columns.get(name)
    if (column === undefined) return null
    titles.push(column.title)
    if (depth === names.length - 1) return { path, title: titles.join(' › '), column }
    at = column.target === null ? undefined : known.get(column.target)
  }
  return null
}

/** What stands for a record whose sys_id is known; null while it is read, or if the caller may not read it. */
export function useDisplayName(table: string | null, sysId: string): string | null {
  const { data: tables = [] } = useTables()
  const { data } = useQuery({
    queryKey: ['display-name', table, sysId],
    enabled: table !== null && /^\d+$/.test(sysId) && tables.length > 0,
    staleTime: 300_000,
    queryFn: async ({ signal }) => {
      const info = await readTableInfo(tables, table ?? '', signal)
      const row = await docket
        .table(table ?? '')
        .first(`sys_id=${sysId}`, { fields: [info.displayColumn], display: 'all', signal })
      return row?.[info.displayColumn]?.display_value ?? null
    },
  })
  return data ?? null
}
