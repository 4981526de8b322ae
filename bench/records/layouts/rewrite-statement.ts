import { type Layout, type TableApart, TEXTS, tablesOf } from './layout.ts'

/**
 * The statement of a list as it would be with a layout. Where it reads tasks, it reads the tables that have the columns of its conditions and orders,
 * and the task only for columns that none of these has.
 */
export function rewriteStatement(text: string, layout: Layout): string {
  const searched = layout.partsOnce ? lookUpDisplayName(text) : text
  return searched.replaceAll(/"docket"\."task" as "(\w+)"/g, (found, alias: string) => {
    const apart = tablesOf(layout).filter((table) => decides(searched, alias, table))
    return apart.length === 0 ? found : `(${rowsOf(columnsOf(searched, alias), apart)}) as "${alias}"`
  })
}

/** Whether a condition or an order of the rows uses a column of the table. That of texts serves searches alone: other indexes of texts stay with the task. */
function decides(text: string, alias: string, table: TableApart): boolean {
  const column = `"${alias}"\\."(?:${table.columns.slice(1).join('|')})"`
  // Columns that the rows only supply are followed by their names.
  const used = table === TEXTS ? `fold\\(${column}::text\\) like|to_tsvector\\([^)]*${column}` : `${column}(?! as ")`
  return new RegExp(used).test(text)
}

const columnsOf = (text: string, alias: string): ReadonlySet<string> =>
  new Set([...text.matchAll(new RegExp(`"${alias}"\\."(\\w+)"`, 'g'))].map(([, name = '']) => name))

function rowsOf(columns: ReadonlySet<string>, apart: readonly TableApart[]): string {
  const placeOf = (column: string): TableApart | undefined => apart.find((table) => table.columns.includes(column))
  const selected = [...columns].map((column) => `${placeOf(column)?.name ?? 'docket.task'}.${column}`)
  const isWhole = [...columns].every((column) => placeOf(column) !== undefined)
  const [first, ...others] = [...apart.map(({ name }) => name), ...(isWhole ? [] : ['docket.task'])]
  const joins = others.map((name) => ` join ${name} on ${name}.sys_id = ${first}.sys_id`)
  return `select ${selected.join(', ')} from ${first}${joins.join('')}`
}

/**
 * What a number or subject contains, the display name contains; what a subject begins with, a word of the display name begins with. Each match is then
 * compared, in words that no index serves (records/sql/write-comparison.ts). PostgreSQL knows the patterns when it plans, and leaves out the second of two equal ones.
 */
function lookUpDisplayName(text: string): string {
  return text.replaceAll(
    /(?<!nullif\()docket_system\.fold\("(\w+)"\."(?:number|subject)"::text\) like (docket_system\.fold\(\$\d+::text\))/g,
    (comparison, alias: string, pattern: string) => {
      const inside = `case when left(${pattern}, 1) in ('%', '_') then '%' else`
      const like = (before: string): string =>
        `docket_system.fold("${alias}"."display_name"::text) like ${inside} ${before} end || ${pattern} || '%'`
      return `((${like("''")} or ${like("'% '")}) and nullif(${comparison}, false) is not null)`
    },
  )
}
