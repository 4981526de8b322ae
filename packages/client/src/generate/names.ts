import type { TableMeta } from '../meta.ts'

/** Names of the types of a module, all different. */
export interface Names {
  ofTable(table: string): string
  /** A name for the choices of a column. Called once for each column. */
  ofChoices(table: string, column: string): string
  /** A name for the operators of columns that are compared in this way. Called once for each list of operators. */
  ofOperators(comparison: string): string
}

export function namesOf(reserved: readonly string[], tables: readonly TableMeta[]): Names {
  const used = new Set(reserved)
  const unique = (name: string): string => {
    let free = name
    for (let number = 2; used.has(free); number += 1) free = `${name}_${number}`
    used.add(free)
    return free
  }
  const byTable = new Map(tables.map(({ name }) => [name, unique(inPascalCase(name))]))
  return {
    ofTable: (table) => byTable.get(table) ?? 'never',
    ofChoices: (table, column) => unique(`${byTable.get(table)}${inPascalCase(column)}`),
    ofOperators: (comparison) => unique(`${inPascalCase(comparison)}Operator`),
  }
}

function inPascalCase(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return isPlainName(joined) ? joined : `_${joined}`
}

export const isPlainName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)

/** A text in the module. Names and values may have any characters. */
export const quote = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'").replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`

export const memberName = (name: string): string => (isPlainName(name) ? name : quote(name))

/** Users write titles: nothing in them may end the comment or the line. */
export function comment(indent: string, text: string): string {
  const line = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll('*/', '* /')
    .trim()
  return line === '' ? '' : `${indent}/** ${line} */\n`
}
