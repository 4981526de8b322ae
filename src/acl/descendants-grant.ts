import type { Catalog, Column, Table } from '../catalog/catalog.ts'
import { isSecret } from '../column-types/column-types.ts'
import type { Action } from '../kernel/problem.ts'
import { type Access, type Decision, type Grant, NEVER } from './decide.ts'

/**
 * A grant over the rows that a read of the table returns: its own rows and those of its descendants. Each row is decided by the
 * rules of its own class, so that a request for the parent table cannot bypass a rule of a child.
 * Groups are disjoint; together they contain every class of the hierarchy.
 */
export type DescendantsGrant = readonly GrantGroup[]

export interface GrantGroup {
  /** The classes to which this grant applies; the first is nearest to the root. */
  readonly tables: readonly Table[]
  readonly grant: Grant
}

export function grantOnRows(access: Access, catalog: Catalog, table: Table, action: Action): DescendantsGrant {
  const known = grantsOn(access, table, action)
  known.rows ??= overDescendants(catalog, table, (member) => access.decideTable(member, action))
  return known.rows
}

export function grantOnColumn(
  access: Access,
  catalog: Catalog,
  table: Table,
  column: string,
  action: Action,
): DescendantsGrant {
  const { columns } = grantsOn(access, table, action)
  const before = columns.get(column)
  if (before !== undefined) return before
  const grant = findGrantOnColumn(access, catalog, table, { column, action })
  columns.set(column, grant)
  return grant
}

/** In a function of its own: each column of each request would otherwise make the function within it, in vain. */
function findGrantOnColumn(
  access: Access,
  catalog: Catalog,
  table: Table,
  { column, action }: { readonly column: string; readonly action: Action },
): DescendantsGrant {
  return overDescendants(catalog, table, (member): Decision => {
    const found = member.columns.get(column)
    // Nobody can read secrets: docs/spec/records.md, section 4.
    if (action === 'read' && found !== undefined && isSecret(found)) return { grant: NEVER, level: null, rules: [] }
    return access.decideColumn(member, column, action)
  })
}

/** Who may know whether a secret is there. Its value has no reader at all. */
const grantOnMask = (access: Access, catalog: Catalog, table: Table, column: string): DescendantsGrant =>
  overDescendants(catalog, table, (member) => access.decideColumn(member, column, 'read'))

/** A column as a field of a response: any of the grants suffices. */
export function grantsOnField(
  access: Access,
  catalog: Catalog,
  table: Table,
  { name, displayed }: Column,
): readonly DescendantsGrant[] {
  if (displayed?.kind === 'masked') return [grantOnMask(access, catalog, table, name)]
  const columns = displayed?.kind === 'journals' ? displayed.of.map((column) => column.name) : [name]
  return columns.map((column) => grantOnColumn(access, catalog, table, column, 'read'))
}

interface KnownGrants {
  rows: DescendantsGrant | null
  readonly columns: Map<string, DescendantsGrant>
}

/**
 * By table and action. Cached because each column of each request needs it: a grant is constant for one snapshot and one set of roles.
 * No key is put together from the names, which would cost more than to find it.
 */
const grantsOf = new WeakMap<Access, Map<string, Map<Action, KnownGrants>>>()

function grantsOn(access: Access, { name }: Table, action: Action): KnownGrants {
  const byTable = knownOr(grantsOf, access, () => new Map<string, Map<Action, KnownGrants>>())
  const byAction = knownOr(byTable, name, () => new Map<Action, KnownGrants>())
  return knownOr(byAction, action, () => ({ rows: null, columns: new Map() }))
}

interface Known<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): unknown
}

function knownOr<Key, Value>(known: Known<Key, Value>, key: Key, make: () => Value): Value {
  const before = known.get(key)
  if (before !== undefined) return before
  const made = make()
  known.set(key, made)
  return made
}

export function isNever(grant: DescendantsGrant): boolean {
  return grant.every((group) => group.grant.kind === 'never')
}

/** On some rows, and not on others. */
export function isPartial(grant: DescendantsGrant): boolean {
  return !isNever(grant) && grant.some((group) => group.grant.kind !== 'always')
}

function overDescendants(catalog: Catalog, table: Table, decide: (member: Table) => Decision): DescendantsGrant {
  const members = table.descendants.flatMap((name) => catalog.tables.get(name) ?? [])
  const decided = members.map((member) => ({ member, grant: decide(member).grant }))
  return [...Map.groupBy(decided, ({ grant }) => keyOf(grant)).values()].flatMap((group): GrantGroup[] => {
    const [first] = group
    return first === undefined ? [] : [{ tables: group.map(({ member }) => member), grant: first.grant }]
  })
}

function keyOf(grant: Grant): string {
  return grant.kind === 'when' ? grant.anyOf.map((condition) => condition.ruleId).join(' ') : grant.kind
}
