import type { Access } from '../../acl/decide.ts'
import {
  type DescendantsGrant,
  type GrantGroup,
  grantOnColumn,
  grantOnRows,
  grantsOnField,
} from '../../acl/descendants-grant.ts'
import type { Catalog, Column, Table } from '../../catalog/catalog.ts'
import { isResolvedPath, type ResolvedPath, resolvePath } from '../../catalog/resolve-path.ts'
import { systemTable } from '../../catalog/system-tables.ts'
import { isJournal } from '../../column-types/column-types.ts'
import { shapeOf } from '../../condition/comparison-shape.ts'
import type { ConditionTree } from '../../condition/condition-tree.ts'
import type { Action } from '../../kernel/problem.ts'
import { type DisplayOf, type Entries, planComparison } from './plan-predicate.ts'
import type { Owner, PlannedPath, Predicate } from './planned-predicate.ts'
import { allOf, anyOf, FALSE, isConstant, TRUE } from './predicates.ts'

/** The input for conditions on rows that enforce rights. They are part of the statement; no row is filtered after it. */
export interface Rights {
  readonly catalog: Catalog
  readonly access: Access
}

/** The rows of a table and its descendants on which the action is granted. */
export function rowsWhere(action: Action, table: Table, rights: Rights): Predicate {
  const granted = planDescendantsGrant(grantOnRows(rights.access, rights.catalog, table, action), table, rights.catalog)
  return isConstant(granted, false) ? FALSE : allOf([granted, ownersWhere(table, rights)])
}

/** By kind of dependent rows: the columns of the parent record to which a row can refer; null: rows refer to the whole record. */
const REFERENCES_OWNER = {
  journals: isJournal,
  'audited-columns': (_column: Column, owner: Table): boolean => owner.isAudit,
  records: null,
}

/**
 * In addition to the rules of its own table, a dependent row is visible only if its parent record is, and if the column to which it
 * refers is. Otherwise a journal or a history would reveal what the rules of the parent table hide.
 */
function ownersWhere(table: Table, rights: Rights): Predicate {
  const { belongsTo } = systemTable(table.name)
  if (belongsTo === undefined) return TRUE
  const roots = [...rights.catalog.tables.values()].filter(
    (owner) => owner.parent === null && systemTable(owner.name).belongsTo === undefined,
  )
  const owners = roots.map((owner) => planOwner(owner, REFERENCES_OWNER[belongsTo], rights))
  const isUnrestricted = (owner: Owner): boolean =>
    isConstant(owner.readable, true) && (owner.columns?.every((column) => isConstant(column.visible, true)) ?? true)
  const restricted = owners.filter((owner) => !isUnrestricted(owner))
  if (restricted.length === 0) return TRUE
  // A caller who sees all records also sees rows of deleted records. Personal tables do not count: nobody sees all their records.
  if (restricted.every(({ table }) => systemTable(table.name).isPersonal))
    return { kind: 'belongs', to: restricted, others: true }
  return {
    kind: 'belongs',
    to: owners.filter(
      ({ table: { adopted }, readable, columns }) =>
        !isConstant(readable, false) && columns?.length !== 0 && adopted?.isDrifted !== true,
    ),
    others: false,
  }
}

/**
 * Whether rows that belong to deleted records of the table are visible, too.
 *
 * @param rows the visible rows of a table with `belongsTo`, from `rowsWhere`
 */
export function includesGoneRecords(rows: Predicate, table: Table): boolean {
  if (rows.kind !== 'belongs') return isConstant(rows, true)
  return rows.others && !rows.to.some((owner) => owner.classIds.includes(table.id))
}

/** A table with dependent rows in other tables, and what the caller may see of its records. */
export function planOwner(
  owner: Table,
  referencesOwner: ((column: Column, owner: Table) => boolean) | null,
  rights: Rights,
): Owner {
  const descendants = owner.descendants.flatMap((name) => rights.catalog.tables.get(name) ?? [])
  return {
    table: owner,
    classIds: descendants.map((member) => member.id),
    readable: rowsWhere('read', owner, rights),
    columns:
      referencesOwner === null
        ? null
        : referencedColumns(descendants, (column) => referencesOwner(column, owner), rights),
  }
}

/**
 * Columns by name, with the rows on which each is visible. A column exists in its table and the descendants, and the rules of the row's
 * class decide. Two child tables may each have a column of the same name.
 */
function referencedColumns(
  descendants: readonly Table[],
  isReferenced: (column: Column) => boolean,
  rights: Rights,
): NonNullable<Owner['columns']> {
  const own = descendants.flatMap((member) =>
    [...member.columns.values()]
      .filter((column) => column.ownerTable === member.name && isReferenced(column))
      .map((column) => ({ member, column })),
  )
  return [...Map.groupBy(own, ({ column }) => column.name)]
    .map(([name, places]) => {
      const visible = places.map(({ member, column }) => {
        const ofMember = columnWhere('read', member, column, rights)
        const classes = member.descendants.flatMap((each) => rights.catalog.tables.get(each)?.id ?? [])
        return places.length === 1 ? ofMember : allOf([{ kind: 'class', ids: classes }, ofMember])
      })
      return { name, visible: anyOf(visible) }
    })
    .filter(({ visible }) => !isConstant(visible, false))
}

/** The rows on which the action on one column is granted. `rowsWhere` must hold as well. */
export function columnWhere(action: Action, table: Table, column: Column, rights: Rights): Predicate {
  return planDescendantsGrant(
    grantOnColumn(rights.access, rights.catalog, table, column.name, action),
    table,
    rights.catalog,
  )
}

/** The rows on which a field of a response is visible. */
export const fieldWhere = (table: Table, column: Column, { access, catalog }: Rights): Predicate =>
  anyOf(grantsOnField(access, catalog, table, column).map((grant) => planDescendantsGrant(grant, table, catalog)))

/** A path in a caller's request: each reference, each row behind it and the column itself are limited by the caller's rights. */
export function planCallersPath(fieldPath: ResolvedPath, rights: Rights): PlannedPath {
  return {
    hops: fieldPath.hops.map(({ table, column }, index) => {
      const target = (fieldPath.hops[index + 1] ?? fieldPath.end).table
      return {
        column,
        visible: columnWhere('read', table, column, rights),
        target,
        readable: rowsWhere('read', target, rights),
      }
    }),
    table: fieldPath.end.table,
    column: fieldPath.end.column,
    visible: allOf(
      displayedColumns(fieldPath.end.column).map((column) => fieldWhere(fieldPath.end.table, column, rights)),
    ),
  }
}

/** The columns from which the displayed value comes. */
function displayedColumns(column: Column): readonly Column[] {
  const { displayed } = column
  if (displayed?.kind === 'journals') return displayed.of
  return displayed?.kind === 'filled' ? [column, displayed.by] : [column]
}

/** A path in a rule. Rules read all of a record: they must be able to test values that the caller may not see. */
export function planRulesPath(fieldPath: ResolvedPath): PlannedPath {
  return {
    hops: fieldPath.hops.map(({ column }, index) => ({
      column,
      visible: TRUE,
      target: (fieldPath.hops[index + 1] ?? fieldPath.end).table,
      readable: TRUE,
    })),
    table: fieldPath.end.table,
    column: fieldPath.end.column,
    visible: TRUE,
  }
}

function planDescendantsGrant(grant: DescendantsGrant, table: Table, catalog: Catalog): Predicate {
  const groups = grant.map((group) => ({ group, when: planGroup(group, catalog) }))
  const [only] = groups
  if (only !== undefined && groups.length === 1) return only.when
  return anyOf(groups.map(({ group, when }) => allOf([classesOf(group, table), when])))
}

const classesOf = (group: GrantGroup, table: Table): Predicate =>
  group.tables.length === table.descendants.length
    ? TRUE
    : { kind: 'class', ids: group.tables.map((member) => member.id) }

function planGroup({ grant, tables }: GrantGroup, catalog: Catalog): Predicate {
  switch (grant.kind) {
    case 'always':
      return TRUE
    case 'never':
      return FALSE
    case 'when':
      return anyOf(grant.anyOf.map((condition) => planOnGroup(condition.where, tables, catalog)))
  }
}

/**
 * A condition that is valid for the class nearest to the root is valid for all classes. One that uses a column of a child table is
 * planned for each class, so that a request to the parent table shows a record exactly if a request to the child table does. In a
 * class for which it is not valid, the condition grants nothing.
 */
function planOnGroup(where: ConditionTree, tables: readonly Table[], catalog: Catalog): Predicate {
  const [nearestToRoot, ...others] = tables
  const forAll = nearestToRoot === undefined ? FALSE : planRuleCondition(where, nearestToRoot, catalog)
  if (forAll !== null) return forAll
  return anyOf(
    others.map((table) =>
      allOf([{ kind: 'class', ids: [table.id] }, planRuleCondition(where, table, catalog) ?? FALSE]),
    ),
  )
}

/** null: the condition names a missing column, uses an operator that does not fit a column's type, or is on rows of another table. */
export function planRuleCondition(tree: ConditionTree, table: Table, catalog: Catalog): Predicate | null {
  if (tree.kind === 'rows') return null
  if (tree.kind !== 'comparison') {
    const members = tree.of.map((member) => planRuleCondition(member, table, catalog))
    const known = members.filter((member) => member !== null)
    if (known.length < members.length) return null
    return tree.kind === 'all' ? allOf(known) : anyOf(known)
  }
  const fieldPath = tree.path.length === 0 ? null : resolvePath(catalog, table, tree.path, { throughLists: true })
  if (fieldPath !== null && !isResolvedPath(fieldPath)) return null
  const other = planComparisonOfOther(tree, table, catalog)
  if (other === undefined) return null
  const planned = planComparison(
    {
      comparison: shapeOf(tree),
      fieldPath: fieldPath === null ? null : planRulesPath(fieldPath),
      other,
      searched: searchedByRules(table),
    },
    {
      catalog,
      table,
      displayOf: (target) => rulesDisplayOf(target),
      entries: rulesEntries(catalog),
      from: { of: 'rule', comparison: tree },
    },
  )
  return planned.ok ? planned.value : null
}

function planComparisonOfOther(
  tree: ConditionTree & { readonly kind: 'comparison' },
  table: Table,
  catalog: Catalog,
): PlannedPath | null | undefined {
  if (tree.value.kind !== 'field') return null
  const fieldPath = resolvePath(catalog, table, tree.value.path)
  return isResolvedPath(fieldPath) ? planRulesPath(fieldPath) : undefined
}

const searchedByRules = (table: Table): readonly PlannedPath[] =>
  [...table.columns.values()]
    .filter((column) => column.fullTextSearch)
    .map((column) => ({ hops: [], table, column, visible: TRUE }))

const rulesDisplayOf = (target: Table) =>
  target.displayColumn === null ? null : { readable: TRUE, column: target.displayColumn, visible: TRUE }

function rulesEntries(catalog: Catalog): Entries | null {
  const entries = entriesOf(catalog)
  return entries === null ? null : { ...entries, readable: TRUE, visible: TRUE }
}

/** The journal entries that a caller may read. The rights on the record and on the journal column are checked separately. */
export function callersEntries(rights: Rights): Entries | null {
  const entries = entriesOf(rights.catalog)
  if (entries === null) return null
  const { table, column } = entries
  return {
    ...entries,
    readable: planDescendantsGrant(grantOnRows(rights.access, rights.catalog, table, 'read'), table, rights.catalog),
    visible: columnWhere('read', table, column, rights),
  }
}

function entriesOf(catalog: Catalog): Pick<Entries, 'table' | 'column'> | null {
  const table = catalog.tables.get('sys_journal_entry')
  const column = table?.columns.get('value')
  return table === undefined || column === undefined ? null : { table, column }
}

/** The display column of the table, with the conditions on which the caller may read it; null: the table has none. */
export function callersDisplayOf(target: Table, rights: Rights): DisplayOf | null {
  const column = target.displayColumn
  if (column === null) return null
  return {
    readable: rowsWhere('read', target, rights),
    column,
    visible: columnWhere('read', target, column, rights),
  }
}
