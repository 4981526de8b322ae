import { isSystemName } from '../catalog/system-tables.ts'

/** Valid names in the dictionary (sys_db_table.name, sys_db_column.column_name). */
const MAX_LENGTH = 60

const CYRILLIC: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'а a|б b|в v|г g|ґ g|д d|е e|ё e|є ye|ж zh|з z|и i|і i|ї yi|й y|к k|л l|м m|н n|о o|п p|р r|с s|т t|у u|ў u|ф f|х kh|ц ts|ч ch|ш sh|' +
    'щ shch|ъ |ы y|ь |э e|ю yu|я ya'
  )
    .split('|')
    .map((pair) => [pair.slice(0, 1), pair.slice(2)]),
)

/**
 * Converts a name of PostgreSQL to a name of the dictionary: lower-case Latin letters, digits and `_`, beginning with a letter. Words in
 * camel case are separated by `_`, Cyrillic letters become Latin ones, accents are removed. Different names may get the same result.
 */
export function dictionaryName(name: string): string {
  const words = name
    .normalize('NFC')
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, '$1_$2')
    .toLowerCase()
  const latin = [...words]
    .map((letter) => CYRILLIC[letter] ?? letter.normalize('NFD').replaceAll(/\p{M}/gu, ''))
    .join('')
  const plain = latin.replaceAll(/[^a-z0-9]+/g, '_').replaceAll(/^_+|_+$/g, '')
  const begun = /^[a-z]/.test(plain) ? plain : `n_${plain}`.replace(/_$/, '')
  return begun.slice(0, MAX_LENGTH)
}

/** Prefix of Docket's own names. */

/** A unique table name: if it is taken, prefixed with the schema's name, then with a number. */
export function freeTableName(name: string, schema: string, taken: ReadonlySet<string>): string {
  const plain = dictionaryName(name)
  if (!isSystemName(plain) && !taken.has(plain)) return plain
  return numbered(dictionaryName(`${schema}_${name}`), taken)
}

/** @param taken names of the table's other columns */
export function freeColumnName(name: string, taken: ReadonlySet<string>): string {
  const plain = dictionaryName(name)
  return numbered(isSystemName(plain) ? dictionaryName(`own_${plain}`) : plain, taken)
}

function numbered(name: string, taken: ReadonlySet<string>): string {
  const own = isSystemName(name) ? `own_${name}`.slice(0, MAX_LENGTH) : name
  for (let number = 1; ; number += 1) {
    const end = number === 1 ? '' : `_${number}`
    const candidate = `${own.slice(0, MAX_LENGTH - end.length)}${end}`
    if (!taken.has(candidate)) return candidate
  }
}
