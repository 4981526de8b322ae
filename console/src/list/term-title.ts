import type { ConditionTree } from 'docket-client'
import { t } from '../messages/i18n.ts'
import { type PathColumn, useDisplayName, usePathColumns } from '../table/field-path.ts'
import type { TableInfo } from '../table/table-info.ts'
import { kindOf, ME, MY_GROUPS, operatorTitle, PERIODS } from './filter-terms.ts'
import { printTerm, takesValue, valueTextOf } from './list-query.ts'

/** A condition in the words of the user. What has no words is shown as it is written. */
export function useTermTitle(info: TableInfo, term: ConditionTree): string {
  const { columns } = usePathColumns(info, pathsOf(term))
  const single = term.kind === 'test' ? columns.get(term.path.join('.')) : undefined
  const value = valueTextOf(term) ?? ''
  const name = useDisplayName(single?.column.target ?? null, value)
  return titleOf(term, columns, name)
}

function pathsOf(term: ConditionTree): readonly string[] {
  if (term.kind === 'rows') return []
  return term.kind === 'test' ? [term.path.join('.')] : term.of.flatMap(pathsOf)
}

function titleOf(term: ConditionTree, columns: ReadonlyMap<string, PathColumn>, name: string | null): string {
  if (term.kind === 'test') return titleOfTest(term, columns, name)
  if (term.kind === 'rows') return printTerm(term)
  const parts = term.of.map((part) => titleOf(part, columns, null))
  return parts.join(term.kind === 'any' ? ` ${t('filter.or')} ` : ` ${t('filter.and')} `)
}

function titleOfTest(
  term: ConditionTree & { readonly kind: 'test' },
  columns: ReadonlyMap<string, PathColumn>,
  name: string | null,
): string {
  const column = columns.get(term.path.join('.'))
  if (column === undefined) return printTerm(term)
  const kind = kindOf(column.column)
  const operator = operatorTitle(term.operator, kind)
  if (!takesValue(term.operator)) return `${column.title} ${operator}`
  return `${column.title} ${operator} ${valueTitle(term, column, name)}`
}

function valueTitle(
  term: ConditionTree & { readonly kind: 'test' },
  { column }: PathColumn,
  name: string | null,
): string {
  const text = valueTextOf(term) ?? ''
  if (text === ME || (term.operator === 'DYNAMIC' && text === 'me')) return t('filter.me')
  if (text === MY_GROUPS) return t('filter.myGroups')
  if (Object.hasOwn(PERIODS, text)) return t(PERIODS[text as keyof typeof PERIODS])
  if (column.type === 'boolean') return text === 'true' || text === '1' ? t('value.yes') : t('value.no')
  if (column.choices.length > 0) {
    const titles = text
      .split(',')
      .map((value) => column.choices.find((choice) => choice.value === value)?.title ?? value)
    return titles.join(', ')
  }
  return name ?? (column.type === 'reference' && /^\d{15,}$/.test(text) ? '…' : text)
}
