import type { Access } from '../../acl/decide.ts'
import { type DescendantsGrant, type GrantGroup, grantOnColumn, grantOnRows } from '../../acl/descendants-grant.ts'
import type { Catalog, Column, Table } from '../../catalog/catalog.ts'
import { isResolvedPath, type ResolvedPath, resolvePath } from '../../catalog/resolve-path.ts'
import { systemTable } from '../../catalog/system-tables.ts'
import { isJournal } from '../../column-types/column-types.ts'
import { shapeOf } from '../../condition/comparison-shape.ts'
import type { ConditionTree } from '../../condition/condition-tree.ts'
import type { Action } from '../../kernel/problem.ts'
import { type DisplayOf, type Entries, planTest } from './plan-predicate.ts'
import type { Owner, PlannedPath, Predicate } from './planned-predicate.ts'
import { allOf, anyOf, FALSE, isConstant, TRUE } from './predicates.ts'

/** Turns what the rules say into conditions on rows: rights are part of the statement, nothing is filtered after it. */
export interface Rights {
  readonly catalog: Catalog
  readonly access: Access
}

/** The rows of a table (and its children) on which the action is granted. */
export function rowsWhere(action: Action, table: Table, rights: Rights): Predicate {
  const granted = planDescendantsGrant(grantOnRows(rights.access, rights.catalog, table, action), table, rights.catalog)
  return isConstant(granted, false) ? FALSE : allOf([granted, ownersWhere(table, rights)])
}

/** Which columns' changes or texts the rows of a table hold, by the column's own record. */
const SPEAKS_OF = {
  journals: isJournal,
  'audited-columns': (_column: Column, owner: Table): boolean => owner.isAudit,
  records: null,
}

/**
 * What belongs to a record is seen by whoever sees the record, and what is said of a column by whoever sees the column
 * (on top of the table's own rules): a journal must not be a way around them.
 */
function ownersWhere(table: Table, rights: Rights): Predicate {
  const { belongsTo } = systemTable(table.name)
  if (belongsTo === undefined) return TRUE
  const roots = [...rights.catalog.tables.values()].filter(
    (owner) => owner.parent === null && systemTable(owner.name).belongsTo === undefined,
  )
  const owners = roots.map((owner) => planOwner(owner, SPEAKS_OF[belongsTo], rights))
  const isOpen = (owner: Owner): boolean =>
    isConstant(owner.readable, true) && (owner.columns?.every((column) => isConstant(column.visible, true)) ?? true)
  const closed = owners.filter((owner) => !isOpen(owner))
  if (closed.length === 0) return TRUE
  // Who sees everything sees also what belongs to records that are gone. Nobody sees all of a personal table.
  if (closed.every(({ table }) => systemTable(table.name).isPersonal))
    return { kind: 'belongs', to: closed, others: true }
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
 * Whether rows that belong to a gone record of the table may be seen, too.
 *
 * @param rows where rows of a table with `belongsTo` may be seen: `rowsWhere`
 */
export function includesGoneRecords(rows: Predicate, table: Table): boolean {
  if (rows.kind !== 'belongs') return isConstant(rows, true)
  return rows.others && !rows.to.some((owner) => owner.classIds.includes(table.id))
}

/** A table whose records others speak of, with what the caller may see of them. */
export function planOwner(
  owner: Table,
  speaksOf: ((column: Column, owner: Table) => boolean) | null,
  rights: Rights,
): Owner {
  const descendants = owner.descendants.flatMap((name) => rights.catalog.tables.get(name) ?? [])
  return {
    table: owner,
    classIds: descendants.map((member) => member.id),
    readable: rowsWhere('read', owner, rights),
    columns: speaksOf === null ? null : referencedColumns(descendants, (column) => speaksOf(column, owner), rights),
  }
}

/**
 * By name, with the rows on which they may be seen: a column is judged from the table that has it on down, each row by the rules of
 * its own class. Two children may each have a column of one name.
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

/** The rows of a table on which the action on one column is granted, given that it is on the row. */
export function columnWhere(action: Action, table: Table, column: Column, rights: Rights): Predicate {
  return planDescendantsGrant(
    grantOnColumn(rights.access, rights.catalog, table, column.name, action),
    table,
    rights.catalog,
  )
}

/** A caller's walk: each reference, each row behind it and the column itself only where the rules show them. */
export function planCallersPath(fieldPath: ResolvedPath, rights: Rights): PlannedPath {
  return {
    steps: fieldPath.steps.map(({ table, column }, index) => {
      const target = (fieldPath.steps[index + 1] ?? fieldPath.end).table
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
      seenIn(fieldPath.end.column).map((column) => columnWhere('read', fieldPath.end.table, column, rights)),
    ),
  }
}

/** The columns that its value is made of. */
const seenIn = (column: Column): readonly Column[] =>
  column.displayed?.kind === 'filled' ? [column, column.displayed.by] : [column]

/** A rule's walk: rules see the whole record, or they could not protect what the caller may not see. */
export function planRulesPath(fieldPath: ResolvedPath): PlannedPath {
  return {
    steps: fieldPath.steps.map(({ column }, index) => ({
      column,
      visible: TRUE,
      target: (fieldPath.steps[index + 1] ?? fieldPath.end).table,
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
 * A condition that fits the class nearest to the root fits all. One that asks for a child's column is judged class by
 * class, so that a record is seen by its parent's path exactly where it is seen by its own. What fits no class grants
 * nothing.
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

/** null when the condition names what is not there, or asks a column what its type cannot answer. */
export function planRuleCondition(tree: ConditionTree, table: Table, catalog: Catalog): Predicate | null {
  if (tree.kind === 'rows') return null
  if (tree.kind !== 'test') {
    const members = tree.of.map((member) => planRuleCondition(member, table, catalog))
    const known = members.filter((member) => member !== null)
    if (known.length < members.length) return null
    return tree.kind === 'all' ? allOf(known) : anyOf(known)
  }
  const fieldPath = tree.path.length === 0 ? null : resolvePath(catalog, table, tree.path, { throughLists: true })
  if (fieldPath !== null && !isResolvedPath(fieldPath)) return null
  const other = planTestsOther(tree, table, catalog)
  if (other === undefined) return null
  const planned = planTest(
    {
      test: shapeOf(tree),
      fieldPath: fieldPath === null ? null : planRulesPath(fieldPath),
      other,
      searched: searchedByRules(table),
    },
    {
      catalog,
      table,
      displayOf: (target) => rulesDisplayOf(target),
      entries: rulesEntries(catalog),
      from: { of: 'rule', test: tree },
    },
  )
  return planned.ok ? planned.value : null
}

function planTestsOther(
  tree: ConditionTree & { readonly kind: 'test' },
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
    .map((column) => ({ steps: [], table, column, visible: TRUE }))

const rulesDisplayOf = (target: Table) =>
  target.displayColumn === null ? null : { readable: TRUE, column: target.displayColumn, visible: TRUE }

function rulesEntries(catalog: Catalog): Entries | null {
  const entries = entriesOf(catalog)
  return entries === null ? null : { ...entries, readable: TRUE, visible: TRUE }
}

/** Journal entries as far as a caller may read them, given that the record and the journal column may be read. */
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

/** What stands for a record of the table in the eyes of a caller; null when they may never see it. */
export function callersDisplayOf(target: Table, rights: Rights): DisplayOf | null {
  const column = target.displayColumn
  if (column === null) return null
  return {
    readable: rowsWhere('read', target, rights),
    column,
    visible: columnWhere('read', target, column, rights),
  }
}
