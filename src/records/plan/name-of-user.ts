import type { Table } from '../../catalog/catalog.ts'
import { comparisonOf } from '../../column-types/column-types.ts'
import { succeed } from '../../kernel/result.ts'
import type { Assignment } from './planned-change.ts'
import { ofRequest, readSource, type ValueSource } from './value-source.ts'

/**
 * A new user without a display name is displayed by first and last name, or by the user name: records that refer to a user
 * without a name would display nothing.
 */
export function withNameOfUser(assignments: readonly Assignment[], table: Table): readonly Assignment[] {
  const column = isUsers(table) ? table.columns.get('display_name') : undefined
  const own = assignments.find((assignment) => assignment.column.name === column?.name)?.change
  if (column === undefined || (own !== undefined && own.kind !== 'value')) return assignments
  const [given, first, last, userName] = ['display_name', 'first_name', 'last_name', 'user_name'].map((name) =>
    valueOfColumn(assignments, name),
  )
  const fullName = joined([first, last])
  const value = firstOf([given, fullName, userName])
  const others = assignments.filter((assignment) => assignment.column.name !== column.name)
  return [...others, { column, comparisonType: comparisonOf(column), change: { kind: 'value', value } }]
}

const isUsers = ({ name, ancestors }: Table): boolean => name === 'user' || ancestors.includes('user')

function valueOfColumn(assignments: readonly Assignment[], name: string): ValueSource {
  const change = assignments.find(({ column }) => column.name === name)?.change
  return change?.kind === 'value' ? change.value : EMPTY
}

const EMPTY = ofRequest(() => succeed([null]))

const joined = (sources: readonly (ValueSource | undefined)[]): ValueSource =>
  combined(sources, (texts) => texts.filter((text) => text !== '').join(' '))

const firstOf = (sources: readonly (ValueSource | undefined)[]): ValueSource =>
  combined(sources, (texts) => texts.find((text) => text !== '') ?? '')

function combined(
  sources: readonly (ValueSource | undefined)[],
  combine: (texts: readonly string[]) => string,
): ValueSource {
  return ofRequest((request, caller) => {
    const texts: string[] = []
    for (const source of sources) {
      const read = readSource(source ?? EMPTY, caller, request)
      if (!read.ok) return read
      texts.push(String(read.value[0] ?? '').trim())
    }
    const text = combine(texts)
    return succeed([text === '' ? null : text])
  })
}
