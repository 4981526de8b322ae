import { grantOnColumn, grantOnRows } from '../../acl/descendants-grant.ts'
import type { ConditionValue, Operand } from '../../condition/condition-tree.ts'
import type { Reader } from './readable-path.ts'

/**
 * The error if a value names a property that the caller may not read, the same as for a missing one; null: it does not. Helpers are
 * computed before the statement runs, so rules that allow only some properties allow none of them here.
 */
export function unreadableProperty(value: ConditionValue, reader: Reader): string | null {
  const hidden = operandsOf(value)
    .flatMap((operand) => propertyIn(operand) ?? [])
    .find((name) => !isReadable(name, reader))
  return hidden === undefined ? null : noSuchProperty(hidden)
}

const noSuchProperty = (name: string): string => `gs.getProperty('${name}') names no property that you may read`

const propertyIn = (operand: Operand): string | null =>
  operand.kind === 'helper' && operand.call.ok && operand.call.value.kind === 'property'
    ? operand.call.value.name
    : null

function isReadable(name: string, { access, catalog }: Reader): boolean {
  const table = catalog.tables.get('sys_property')
  if (table === undefined || !catalog.properties.has(name)) return false
  const grants = [
    grantOnRows(access, catalog, table, 'read'),
    ...['name', 'value'].map((column) => grantOnColumn(access, catalog, table, column, 'read')),
  ]
  return grants.every((groups) => groups.every(({ grant }) => grant.kind === 'always'))
}

function operandsOf(value: ConditionValue): readonly Operand[] {
  switch (value.kind) {
    case 'literal':
    case 'helper':
      return [value]
    case 'list':
      return value.members
    case 'members':
      return [value.whole, ...value.members]
    case 'range':
      return [value.from, value.to]
    default:
      return []
  }
}
