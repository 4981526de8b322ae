import type { Catalog, Choice, ClassChoices, Column, DisplayedChoice, Table } from '../catalog/catalog.ts'
import type { NamedColumn } from '../catalog/vocabulary.ts'
import { comparisonOf, isSecret } from '../column-types/column-types.ts'
import { CHOICES, CHOICES_OF, type ChoicesByTable, type ChoiceValue, ON_HOLD } from './choice-values.ts'

/** A column whose values are displayed as others; unchanged if they are not. */
export function asDisplayed(named: NamedColumn, table: Table, catalog: Catalog): NamedColumn {
  const { column } = named.stored
  if (named.via.length > 0 || column.storage === null) return named
  const converted = columnAsDisplayed(column, table, catalog)
  if (converted === column) return named
  // Rows of one class compare by the stored value, which an index serves.
  const isStored =
    converted.displayed?.kind === 'masked' ||
    (converted.displayed?.kind === 'choice' && converted.displayed.classes.length === 1)
  const displayed = { table, column: converted }
  return { ...named, displayed, stored: isStored ? named.stored : displayed }
}

function columnAsDisplayed(column: Column, table: Table, catalog: Catalog): Column {
  if (isSecret(column)) return { ...column, displayed: { kind: 'masked' } }
  if (column.ownerTable === ON_HOLD.table && column.name === ON_HOLD.column) return filledByState(column, table)
  const choices = column.ownerTable === CHOICES_OF ? CHOICES[column.name] : undefined
  if (choices === undefined || comparisonOf(column) !== 'choice' || column.storage === null) return column
  const classes = classesOf(table, { choices, column, catalog })
  const displayed: DisplayedChoice = {
    kind: 'choice',
    storage: column.storage,
    classes: classes.map(({ choices }) => choices),
  }
  const titles = new Map(classes.toReversed().flatMap(({ all }) => all.map((each) => [each.value, each] as const)))
  return {
    ...column,
    displayed,
    choices: [...titles.values()],
    indexed: { values: false, computed: false, parts: false, folded: false },
  }
}

function filledByState(column: Column, table: Table): Column {
  const by = table.columns.get('state')
  if (by === undefined || by.storage === null) return column
  return { ...column, displayed: { kind: 'filled', by, texts: new Map(Object.entries(ON_HOLD.reasons)) } }
}

interface Ground {
  readonly choices: ChoicesByTable
  readonly column: Column
  readonly catalog: Catalog
}

interface DisplayedClasses {
  readonly choices: ClassChoices
  readonly all: readonly Choice[]
}

/** The classes of the table's rows, grouped by equal displayed values; the table's own class first. */
function classesOf(table: Table, { choices, column, catalog }: Ground): readonly DisplayedClasses[] {
  const members = table.descendants.flatMap((name) => catalog.tables.get(name) ?? [])
  const nearest = ({ ancestors }: Table): string => ancestors.find((name) => choices[name] !== undefined) ?? CHOICES_OF
  const groups = Map.groupBy([table, ...members.filter((member) => member !== table)], nearest)
  return [...groups].map(([owner, of]) => {
    const values = choices[owner] ?? []
    const own = choicesBeside(values, of[0]?.columns.get(column.name)?.choices ?? [])
    const ids = of.map(({ id }) => id)
    return {
      choices: classChoices({ ids, values, own, isHeld: owner === ON_HOLD.table && column.name === 'state' }),
      all: [...values.map(asChoice), ...own],
    }
  })
}

/** Choices that administrators added. */
function choicesBeside(values: readonly ChoiceValue[], choices: readonly Choice[]): readonly Choice[] {
  const known = new Set(values.flatMap(readValues))
  const displayedValues = new Set(values.map(({ value }) => value))
  return choices.filter(({ value }) => !known.has(value) && !displayedValues.has(value))
}

const readValues = ({ stored, alsoReads = [] }: ChoiceValue): readonly string[] => [stored, ...alsoReads]

const asChoice = ({ value, en, ru }: ChoiceValue): Choice => ({ value, dependentValue: null, titles: { en, ru } })

interface ClassGround {
  readonly ids: readonly string[]
  readonly values: readonly ChoiceValue[]
  readonly own: readonly Choice[]
  readonly isHeld: boolean
}

function classChoices({ ids, values, own, isHeld }: ClassGround): ClassChoices {
  const read = values.flatMap((each) => readValues(each).map((stored) => [stored, each] as const))
  const titles = (of: 'en' | 'ru'): ReadonlyMap<string, string> =>
    new Map([
      ...read.map(([key, each]) => [key, each[of]] as const),
      ...own.map((each) => [each.value, each.titles[of]] as const),
    ])
  const split = { displayed: ON_HOLD.displayed, by: ON_HOLD.column, stored: new Map(Object.entries(ON_HOLD.stored)) }
  return {
    ids,
    texts: new Map(read.map(([key, { value }]) => [key, value])),
    titles: { en: titles('en'), ru: titles('ru') },
    stored: new Map([
      ...values.map(({ value, stored }) => [value, stored] as const),
      ...own.map(({ value }) => [value, value] as const),
    ]),
    split: isHeld ? split : null,
  }
}
