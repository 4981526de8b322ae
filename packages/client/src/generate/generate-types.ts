import type { CallOptions, Send } from '../http.ts'
import { readTable, readTables, type TableMeta } from '../meta.ts'
import { columnTypes, type NameOperators } from './column-types.ts'
import { comment, isPlainName, type Names, namesOf, quote } from './names.ts'

export interface GenerateOptions extends CallOptions {
  /** Name of the type of all tables; default `Desk`. */
  readonly name?: string | undefined
  /** Tables to write; default: all that the caller may read. */
  readonly tables?: readonly string[] | undefined
}

/**
 * Reads the dictionary with the rights of the caller, and writes a module. Equal dictionaries give equal texts.
 *
 * @throws TypeError if `name` is not a valid type name
 * @throws NotFound if a table of `tables` does not exist, or the caller may not read it
 */
export async function generateTypes(docket: { readonly send: Send }, options: GenerateOptions = {}): Promise<string> {
  const { name = 'Desk', tables, ...call } = options
  if (!isPlainName(name)) throw new TypeError(`"${name}" cannot be the name of a type: write one such as Desk.`)
  const wanted = tables ?? (await readTables(docket.send, call)).map((table) => table.name)
  const metas = await readEach([...new Set(wanted)].sort(), (table) => readTable(docket.send, table, call))
  const body = moduleOf(metas, name)
  return `${HEADER}// Fingerprint: ${await fingerprintOf(body)}\n\n${body}`
}

const HEADER =
  '// Types of the tables of a Docket server. Written by `docket-client types`: run it again instead of editing.\n'

/** Requests at the same time. */
const maxRequests = 4

async function readEach<T>(names: readonly string[], read: (name: string) => Promise<T>): Promise<readonly T[]> {
  const results: T[] = []
  const left = [...names.entries()]
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) results[next[0]] = await read(next[1])
  }
  await Promise.all(Array.from({ length: maxRequests }, work))
  return results
}

const IMPORTED = [
  'Find',
  'JournalEntry',
  'List',
  'ListChange',
  'NumberChange',
  'NumberValue',
  'Reference',
  'ReferenceChange',
  'SysId',
  'TextChange',
  'Value',
  'ValueChange',
]

function moduleOf(metas: readonly TableMeta[], name: string): string {
  const names = namesOf([name, ...IMPORTED], metas)
  const operators = new Map<string, string>()
  const nameOperators: NameOperators = (column) => {
    const union = column.operators.map((operator) => `  | ${quote(operator)}\n`).join('')
    const known = operators.get(union) ?? names.ofOperators(column.comparison)
    operators.set(union, known)
    return known
  }
  const tables = metas.map((meta) => tableModule(meta, names, nameOperators)).join('\n')
  const operatorTypes = [...operators].map(([union, each]) => `\nexport type ${each} =\n${union}`).join('')
  const used = IMPORTED.filter((each) => new RegExp(`\\b${each}\\b(?=[<\\s])`).test(tables))
  const imports = used.length === 0 ? '' : `import type { ${used.join(', ')} } from 'docket-client'\n\n`
  const members = metas.map((meta) => `  readonly ${meta.name}: ${names.ofTable(meta.name)}\n`).join('')
  return `${imports}/** The tables by name: \`connect<${name}>({ … })\`. */\nexport interface ${name} {\n${members}}\n\n${tables}${operatorTypes}`
}

function tableModule(meta: TableMeta, names: Names, nameOperators: NameOperators): string {
  const columns = meta.columns.map((column) => columnTypes(meta, column, names, nameOperators))
  const choices = columns.map(({ choices: each }) => each).join('')
  const section = (title: string, members: readonly (string | null)[]): string => {
    const given = members.filter((member) => member !== null).join('')
    return given === ''
      ? `  readonly ${title}: Readonly<Record<string, never>>\n`
      : `  readonly ${title}: {\n${given}  }\n`
  }
  return [
    choices,
    comment('', `${meta.title} (${meta.lineage.join(' → ')})`),
    `export interface ${names.ofTable(meta.name)} {\n`,
    section(
      'columns',
      columns.map((each) => each.read),
    ),
    section(
      'create',
      columns.map((each) => each.create),
    ),
    section(
      'update',
      columns.map((each) => each.update),
    ),
    section(
      'references',
      columns.map((each) => each.reference),
    ),
    section(
      'operators',
      columns.map((each) => each.operators),
    ),
    '}\n',
  ].join('')
}

async function fingerprintOf(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(bytes.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
