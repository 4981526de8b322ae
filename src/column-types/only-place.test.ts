import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseAst } from 'vitest/node'
import { COLUMN_TYPE_NAMES } from './column-types.ts'

const source = new URL('../', import.meta.url).pathname
const names: ReadonlySet<string> = new Set(COLUMN_TYPE_NAMES)

/** Folders that have types of other things (nodes of documents, media, JSON Schema) and no columns. */
const foldersWithoutColumns = /^(column-types|documents|contract|config|kernel|condition|http\/request)\//

interface Node {
  readonly type: string
  readonly [member: string]: unknown
}

const isName = (node: unknown): boolean =>
  (node as Node | null)?.type === 'Literal' && names.has(String((node as Node)['value']))

/** `type`, `column.type`, `column?.type` */
function isType(node: unknown): boolean {
  const { type, name, property, expression } = node as Node
  if (type === 'ChainExpression') return isType(expression)
  return type === 'Identifier' ? name === 'type' : type === 'MemberExpression' && isType(property)
}

/** A comparison with the name of a column type, a switch over names, or a set of names only. */
function namesTypes(node: Node): boolean {
  switch (node.type) {
    case 'BinaryExpression':
      return (isType(node['left']) && isName(node['right'])) || (isType(node['right']) && isName(node['left']))
    case 'SwitchStatement':
      return isType(node['discriminant']) && (node['cases'] as Node[]).some((each) => isName(each['test']))
    case 'NewExpression': {
      const [list] = node['arguments'] as Node[]
      const members = list?.type === 'ArrayExpression' ? (list['elements'] as unknown[]) : []
      return (node['callee'] as Node)['name'] === 'Set' && members.length > 1 && members.every(isName)
    }
    default:
      return false
  }
}

function* nodesOf(node: unknown): Generator<Node> {
  if (typeof node !== 'object' || node === null) return
  if (!Array.isArray(node) && 'type' in node) yield node as Node
  for (const member of Object.values(node)) yield* nodesOf(member)
}

function countIn(text: string): number {
  const tables = text.match(/(Record|Set|Map)<(ColumnTypeName|Column\['type'\])/g) ?? []
  return [...nodesOf(parseAst(text, { lang: 'ts' }).body)].filter(namesTypes).length + tables.length
}

test('only column-types asks for a column type by its name (issue 9, step 3)', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /(?<!\.test)\.ts$/.test(name) && !foldersWithoutColumns.test(name),
  )
  expect(files.length).toBeGreaterThan(300)
  expect(files.filter((name) => countIn(readFileSync(join(source, name), 'utf8')) > 0)).toEqual([])
})

test('every way to ask for a column type is counted', () => {
  for (const asking of [
    "column.type === 'list'",
    "'list' !== column?.type",
    "switch (type) { case 'json': break }",
    "new Set(['password', 'encrypted'])",
    'const a: Partial<Record<ColumnTypeName, string>> = {}',
  ])
    expect(countIn(asking), asking).toBe(1)
  expect(countIn("new Set(['text', 'varchar']); kind === 'list'")).toBe(0)
})
