import fc from 'fast-check'
import { CLASSES } from './arbitrary-records.ts'
import { LAB_TABLES, type LabRule } from './record-lab.ts'

/**
 * Random rules for the role `reader`. Their conditions use only the columns `ctl…` (of the record, and of the shelf in its `ctl_shelf`).
 * So a law may change all other columns of a row without changing who may see it.
 */

const OF_LAB = [
  ...['', 'ctl=1', 'ctl!=1', 'ctl>0', 'ctl<2^ORctlISEMPTY', 'ctl=0^NQctl=2', 'sys_idISNOTEMPTY'],
  ...['ctl_shelf.ctl_level=1', 'ctl_shelf.ctl_level!=1^ctl<2', 'ctl_shelfISEMPTY^ORctl_shelf.ctl_level>0'],
  // These use columns or values that do not exist, or not in every class: there, such a condition grants nothing.
  ...['ctl_part!=1', 'ctl_part=1^ORctl=1', 'no_such_column=1', 'ctl=not a number', 'ctl='],
]
const OF_SHELF = ['', 'ctl_level=1', 'ctl_level!=1', 'ctl_levelISEMPTY^ORctl_level<2', 'sys_idISNOTEMPTY', 'nothing=1']

const ofLab = fc.constantFrom(...OF_LAB)
const ofShelf = fc.constantFrom(...OF_SHELF)
/** The reader does not have the second role. */
const roles = fc.constantFrom<(readonly string[])[]>(['reader'], ['worker'], [], ['worker', 'reader'])

type Operation = LabRule['operation']

const tableRule = (operation: Operation, table: string, condition: fc.Arbitrary<string>): fc.Arbitrary<LabRule> =>
  condition.map((requested) => ({ operation, table, column: null, roles: ['reader'], condition: requested }))

const LAB_COLUMNS = Object.keys(LAB_TABLES['lab']?.columns ?? {})
const PART_COLUMNS = Object.keys(LAB_TABLES['lab_part']?.columns ?? {})
const SHELF_COLUMNS = Object.keys(LAB_TABLES['lab_shelf']?.columns ?? {})

export function columnRule(operation: Operation): fc.Arbitrary<LabRule> {
  const on = (tables: readonly string[], columns: readonly string[], condition: fc.Arbitrary<string>) =>
    fc
      .record({
        table: fc.constantFrom(...tables),
        column: fc.constantFrom(...columns),
        roles,
        condition,
      })
      .map((rule): LabRule => ({ operation, ...rule }))
  return fc.oneof(
    { weight: 4, arbitrary: on(CLASSES, LAB_COLUMNS, ofLab) },
    { weight: 1, arbitrary: on(['lab_part', 'lab_kit'], [...PART_COLUMNS, 'weight', 'contents'], ofLab) },
    { weight: 2, arbitrary: on(['lab_shelf'], SHELF_COLUMNS, ofShelf) },
    { weight: 1, arbitrary: on(['*'], [...LAB_COLUMNS, ...SHELF_COLUMNS], fc.constantFrom('', 'sys_idISNOTEMPTY')) },
    { weight: 1, arbitrary: on(['lab', 'lab_part', 'lab_shelf'], ['*'], fc.constantFrom('', 'sys_idISNOTEMPTY')) },
  )
}

export const arbitraryReadRules: fc.Arbitrary<readonly LabRule[]> = fc
  .record({
    lab: fc.array(tableRule('read', 'lab', ofLab), { minLength: 1, maxLength: 2 }),
    children: fc.array(fc.oneof(tableRule('read', 'lab_part', ofLab), tableRule('read', 'lab_kit', ofLab)), {
      maxLength: 1,
    }),
    shelf: fc.array(tableRule('read', 'lab_shelf', ofShelf), { maxLength: 2 }),
    people: fc.subarray(['user', 'sys_group', 'sys_journal_entry', 'sys_history', 'sys_attachment', 'sys_ui_form']),
    columns: fc.array(columnRule('read'), { maxLength: 8 }),
  })
  .map(({ lab, children, shelf, people, columns }) => [
    ...lab,
    ...children,
    ...shelf,
    ...people.map(
      (table): LabRule => ({
        operation: 'read',
        table,
        roles: ['reader'],
        condition: table === 'sys_ui_form' ? 'user_idISEMPTY^ORuser_idDYNAMICme' : '',
      }),
    ),
    ...columns,
  ])

/** Readers must not write the columns on which rights depend: they could give themselves access. */
const GUARDED: readonly LabRule[] = [
  ...['ctl', 'ctl_shelf'].map((column): LabRule => ({ operation: 'write', table: 'lab', column, roles: ['worker'] })),
  { operation: 'write', table: 'lab_part', column: 'ctl_part', roles: ['worker'] },
  { operation: 'write', table: 'lab_shelf', column: 'ctl_level', roles: ['worker'] },
]

const isGuarded = (rule: LabRule): boolean => rule.column?.startsWith('ctl') === true

export const arbitraryWriteRules: fc.Arbitrary<readonly LabRule[]> = fc
  .record({
    tables: fc.tuple(
      ...(['create', 'write', 'delete'] as const).flatMap((operation) => [
        fc.option(tableRule(operation, 'lab', ofLab), { freq: 5 }),
        fc.option(tableRule(operation, 'lab_shelf', ofShelf)),
      ]),
    ),
    columns: fc.array(fc.oneof(columnRule('write'), columnRule('write'), columnRule('create')), { maxLength: 6 }),
  })
  .map(({ tables, columns }) => [
    ...tables.filter((rule) => rule !== null),
    ...columns.filter((rule) => rule.operation === 'create' || !isGuarded(rule)),
    ...GUARDED,
  ])
