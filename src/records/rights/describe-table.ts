import type { Access, Grant } from '../../acl/decide.ts'
import { type DescendantsGrant, grantOnColumn, grantOnRows, isNever } from '../../acl/descendants-grant.ts'
import {
  type Catalog,
  type Column,
  type Language,
  type RelatedList,
  SYSTEM_COLUMNS,
  type Table,
  type View,
} from '../../catalog/catalog.ts'
import { isResolvedPath, resolvePath } from '../../catalog/resolve-path.ts'
import { columnTypeOf, comparisonOf, refersToOne } from '../../column-types/column-types.ts'
import { operatorsOf } from '../../column-types/fitting-operators.ts'
import type { ColumnDescription, Right, TableDescription, ViewDescription } from '../../contract/meta.ts'
import type { Action } from '../../kernel/problem.ts'
import { isRequiredOnCreate } from '../plan/plan-create.ts'
import { isWrittenByCallers, visibleTable, visibleTables } from './visible-tables.ts'

/** The reader of a description, and the snapshot that it is made from. */
export interface MetaReader {
  readonly catalog: Catalog
  readonly access: Access
  readonly userId: string
  readonly language: Language
}

/** The tables whose records the caller may read, or some of them; sorted by name. */
export function describeTables(reader: MetaReader): readonly ReturnType<typeof summaryOf>[] {
  return visibleTables(reader.catalog, reader.access).map(({ table }) => summaryOf(table, reader))
}

/**
 * Describes a table to a caller. It contains nothing that they may neither read nor write: no such column, choice, part of a view
 * or referenced table.
 *
 * @returns null if the caller may read no record of it
 */
export function describeTable(table: Table, reader: MetaReader): TableDescription | null {
  const { catalog, access, language } = reader
  if (visibleTable(catalog, access, table) === null) return null
  const columns = [...table.columns.values()].flatMap((column) => describeColumn(table, column, reader) ?? [])
  return {
    ...summaryOf(table, reader),
    lineage: table.ancestors,
    children: table.descendants
      .flatMap((name) => catalog.tables.get(name) ?? [])
      .filter((member) => member.name !== table.name && isVisible(member, reader))
      .map(({ name, titles }) => ({ name, title: titles[language] })),
    has_history: table.isAudit,
    columns,
    views: viewsOf(table, reader).map((view) => describeView(view, table, reader)),
    referenced_by: referencesTo(table, reader),
    state_model: stateModelOf(table, reader),
  }
}

function summaryOf(table: Table, reader: MetaReader) {
  const { displayColumn, numbering } = table
  const numbered = table.columns.get('number')
  return {
    name: table.name,
    title: table.titles[reader.language],
    parent: table.parent,
    display_column: displayColumn !== null && mayRead(table, displayColumn, reader) ? displayColumn.name : null,
    number:
      numbering === null || numbered === undefined || !mayRead(table, numbered, reader)
        ? null
        : { prefix: numbering.prefix, digits: numbering.digits },
    rights: {
      create: isWrittenByCallers(table) ? rightOf([reader.access.decideTable(table, 'create').grant]) : 'never',
      read: tableRight(table, 'read', reader),
      write: tableRight(table, 'write', reader),
      delete: tableRight(table, 'delete', reader),
    },
  } as const
}

// ── rights ──

const grantsOf = (grant: DescendantsGrant): readonly Grant[] => grant.map((group) => group.grant)

/** The right over all records of these grants. */
function rightOf(grants: readonly Grant[]): Right {
  if (grants.every(({ kind }) => kind === 'never')) return 'never'
  return grants.every(({ kind }) => kind === 'always') ? 'always' : 'on_rows'
}

/** The right of an action that needs both. */
function both(one: Right, other: Right): Right {
  if (one === 'never' || other === 'never') return 'never'
  return one === 'always' && other === 'always' ? 'always' : 'on_rows'
}

function tableRight(table: Table, action: 'read' | 'write' | 'delete', { catalog, access }: MetaReader): Right {
  if (action !== 'read' && !isWrittenByCallers(table)) return 'never'
  return rightOf(grantsOf(grantOnRows(access, catalog, table, action)))
}

const isVisible = (table: Table, { catalog, access }: MetaReader): boolean =>
  !isNever(grantOnRows(access, catalog, table, 'read'))

const mayRead = (table: Table, column: Column, { catalog, access }: MetaReader): boolean =>
  !isNever(grantOnColumn(access, catalog, table, column.name, 'read'))

function columnRights(table: Table, column: Column, reader: MetaReader): ColumnDescription['rights'] {
  const { catalog, access } = reader
  const over = (action: Action): Right => rightOf(grantsOf(grantOnColumn(access, catalog, table, column.name, action)))
  const isFilled = column.readOnly || SYSTEM_COLUMNS.has(column.name) || !isWrittenByCallers(table)
  const create = rightOf([access.decideTable(table, 'create').grant])
  return {
    read: both(tableRight(table, 'read', reader), over('read')),
    create: isFilled ? 'never' : both(create, rightOf([access.decideColumn(table, column.name, 'create').grant])),
    write: isFilled || column.isKeyPart ? 'never' : both(tableRight(table, 'write', reader), over('write')),
  }
}

const isKnown = (rights: ColumnDescription['rights']): boolean =>
  Object.values(rights).some((right) => right !== 'never')

// ── columns ──

function describeColumn(table: Table, column: Column, reader: MetaReader): ColumnDescription | null {
  const rights = columnRights(table, column, reader)
  if (!isKnown(rights)) return null
  const { language } = reader
  const on = column.dependsOn === null ? undefined : table.columns.get(column.dependsOn)
  const isOnKnown = on !== undefined && isKnown(columnRights(table, on, reader))
  return {
    name: column.name,
    title: column.titles[language],
    type: column.type,
    comparison: comparisonOf(column),
    json_type: jsonTypeOf(column),
    nullable: !column.neverNull && column.name !== table.keyColumn,
    operators: rights.read === 'never' ? [] : operatorsOf(column),
    mandatory: column.mandatory,
    required_on_create: rights.create !== 'never' && isRequiredOnCreate(column, table),
    read_only: column.readOnly || SYSTEM_COLUMNS.has(column.name),
    unique: column.unique,
    max_length: column.maxLength,
    default_value: column.defaultValue === '' ? null : column.defaultValue,
    is_document: column.readAsDocument,
    reference: referenceOf(column, reader),
    depends_on: isOnKnown ? column.dependsOn : null,
    choices: column.choices.map(({ value, titles, dependentValue }) => ({
      value,
      title: titles[language],
      dependent_value: isOnKnown ? dependentValue : null,
    })),
    rights,
  }
}

function jsonTypeOf(column: Column): ColumnDescription['json_type'] {
  const { type } = columnTypeOf(column).schema.stored(column)
  return (type ?? 'any') as ColumnDescription['json_type']
}

function referenceOf({ reference }: Column, reader: MetaReader): ColumnDescription['reference'] {
  const target = reference === null ? undefined : reader.catalog.tables.get(reference)
  if (target === undefined || !isVisible(target, reader)) return null
  const { displayColumn, columns } = target
  const isDisplayed = displayColumn !== null && mayRead(target, displayColumn, reader)
  return {
    table: target.name,
    title: target.titles[reader.language],
    display_column: isDisplayed ? displayColumn.name : null,
    search_columns: [...columns.values()]
      .filter((column) => column.fullTextSearch && mayRead(target, column, reader))
      .map(({ name }) => name),
  }
}

// ── views ──

/** Views in the precedence of sysparm_view: a personal view hides a shared one of the same title, and that of a child its parent's. */
export function viewsOf(table: Table, { catalog, userId }: Pick<MetaReader, 'catalog' | 'userId'>): readonly View[] {
  const known = table.ancestors.flatMap((name) => catalog.views.get(name) ?? [])
  const own = [...known.filter((view) => view.userId === userId), ...known.filter((view) => view.userId === null)]
  const titles = new Set<string>()
  return own.filter(({ title }) => {
    const isFirst = !titles.has(title.toLowerCase())
    titles.add(title.toLowerCase())
    return isFirst
  })
}

function describeView(view: View, table: Table, reader: MetaReader): ViewDescription {
  const sections = view.sections
    .map(({ titles, columns }) => ({
      title: titles[reader.language],
      columns: columns.flatMap((path) => pathOf(path, table, reader) ?? []),
    }))
    .filter(({ columns }) => columns.length > 0)
  return {
    title: view.title,
    is_personal: view.userId !== null,
    sections,
    related_lists: view.relatedLists.flatMap((list) => describeList(list, reader) ?? []),
  }
}

/** null: the path is invalid, or contains something that the caller may not see. */
function pathOf(path: string, table: Table, reader: MetaReader) {
  const fieldPath = resolvePath(reader.catalog, table, path.split('.'))
  if (!isResolvedPath(fieldPath)) return null
  const { hops, end } = fieldPath
  if (hops.length === 0 && describeColumn(table, end.column, reader) === null) return null
  const isSeen = (at: typeof end): boolean => isVisible(at.table, reader) && mayRead(at.table, at.column, reader)
  if (hops.length > 0 && ![...hops, end].every(isSeen)) return null
  return {
    path,
    title: [...hops, end].map(({ column }) => column.titles[reader.language]).join(' › '),
    type: end.column.type,
  }
}

function describeList(list: RelatedList, reader: MetaReader): RelatedList | null {
  const table = reader.catalog.tables.get(list.table)
  const column = table?.columns.get(list.column)
  if (table === undefined || column === undefined) return null
  if (!isVisible(table, reader) || !mayRead(table, column, reader)) return null
  return { table: table.name, column: column.name, title: list.title || table.titles[reader.language] }
}

/** Columns that refer to this table and that the caller may read. System columns are left out: they refer to users in every table. */
function referencesTo(table: Table, reader: MetaReader): readonly RelatedList[] {
  const { catalog, access, language } = reader
  return visibleTables(catalog, access).flatMap(({ table: other }) => {
    const columns = [...other.columns.values()]
      .filter((column) => column.ownerTable === other.name && !SYSTEM_COLUMNS.has(column.name))
      .filter(
        (column) => refersToOne(column) && column.reference !== null && table.ancestors.includes(column.reference),
      )
      .filter((column) => mayRead(other, column, reader))
    // "Approvals" says enough where one column leads here; of its own kind a record has children, duplicates and more.
    const isEnough = columns.length === 1 && !table.ancestors.includes(other.name)
    return columns.map((column) => ({
      table: other.name,
      column: column.name,
      title: isEnough ? other.titles[language] : `${other.titles[language]}: ${column.titles[language]}`,
    }))
  })
}

// ── states ──

const STATE = 'state'

/** All transitions of the state models; `rights` of a record lists those that are allowed now. */
function stateModelOf(table: Table, reader: MetaReader): TableDescription['state_model'] {
  const { stateModels } = reader.catalog
  const column = table.columns.get(STATE)
  const level = table.ancestors.find((name) => stateModels.has(name))
  if (column === undefined || level === undefined || !mayRead(table, column, reader)) return null
  return {
    column: STATE,
    models: (stateModels.get(level) ?? []).map(({ condition, transitions, finals }) => ({
      has_condition: condition !== '',
      transitions,
      finals,
    })),
  }
}
