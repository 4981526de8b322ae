import type { ConditionTree } from 'docket-client'
import { currentLanguage, t } from '../messages/i18n.ts'
import { usePathColumns, useRecordNames } from '../table/field-path.ts'
import type { TableInfo } from '../table/table-info.ts'
import { useTables } from '../table/use-table.ts'
import { type TermContext, termWords } from './term-words.ts'

/** Title of a condition in the user's language. */
export const useTermTitle = (info: TableInfo, term: ConditionTree): string => useTermWords(info, term).title

interface TermWords {
  readonly title: string
  /** The user may view all columns of the condition, as far as they are known already. */
  readonly isReadable: boolean
}

/** @param term null: nothing, without a title */
export function useTermWords(info: TableInfo, term: ConditionTree | null): TermWords {
  const context = useTermContext(info, term)
  return {
    title: term === null ? '' : termWords(term, context),
    // A search of words has no column.
    isReadable: term !== null && pathsOf(term).every((path) => path === '' || context.column(path) !== null),
  }
}

/** Titles of a group, and of everything in it. */
export function useTitlesWithin(info: TableInfo, group: ConditionTree): (term: ConditionTree) => string {
  const context = useTermContext(info, group)
  return (term) => termWords(term, context)
}

/**
 * @param term null: nothing
 * @param morePaths of columns whose titles are needed, too
 */
export function useTermContext(
  info: TableInfo,
  term: ConditionTree | null,
  morePaths: readonly string[] = [],
): TermContext {
  const paths = [...(term === null ? [] : pathsOf(term)), ...morePaths]
  const { columns, isPending } = usePathColumns(info, paths)
  const { data: tables = [] } = useTables()
  const wanted = (term === null ? [] : comparisonsOf(term)).flatMap((comparison) => {
    const target = columns.get(comparison.path.join('.'))?.column.target ?? null
    return target === null ? [] : idsOf(comparison).map((sysId) => ({ table: target, sysId }))
  })
  const recordName = useRecordNames(wanted)
  return {
    translate: t,
    language: currentLanguage(),
    column: (path: string) => columns.get(path) ?? (isPending ? pendingColumn : null),
    recordName,
    tableTitle: (name: string) => tables.find((each) => each.name === name)?.title ?? name,
  }
}

const pendingColumn = { title: '…', column: { type: 'string', target: null, choices: [] } }

type Comparison = Extract<ConditionTree, { kind: 'comparison' }>

function comparisonsOf(term: ConditionTree): readonly Comparison[] {
  if (term.kind === 'comparison') return [term]
  return term.kind === 'rows' ? [] : term.of.flatMap(comparisonsOf)
}

const pathsOf = (term: ConditionTree): readonly string[] =>
  comparisonsOf(term).flatMap(({ path, value }) => [
    path.join('.'),
    ...(value.kind === 'field' ? [value.path.join('.')] : []),
  ])

/** Max. record names in a title; with more it would be too long. */
const maxNames = 5

function idsOf({ value }: Comparison): readonly string[] {
  const operands =
    value.kind === 'literal' ? [value] : value.kind === 'list' || value.kind === 'members' ? value.members : []
  return operands
    .flatMap((each) => (each.kind === 'literal' && /^\d+$/.test(each.text) ? [each.text] : []))
    .slice(0, maxNames)
}
