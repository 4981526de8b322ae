import { globSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'

/** What docs/ARCHITECTURE.md says about the sources is true (issue 9). */

const page = readFileSync('docs/ARCHITECTURE.md', 'utf8')
const [, tree = ''] = /^```\n([\s\S]*?)^```$/m.exec(page) ?? []
/** The part of each module: its line and the indented ones below it. */
const parts = new Map(
  [...tree.matchAll(/^src\/([a-z-]+)\/.*\n(?: .*\n)*/gm)].map(([part, name = '']) => [name, part] as const),
)
const order = [...parts.keys()]

const foldersIn = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${entry.parentPath}/${entry.name}`)

test('it visits each module once, above the modules that it may import', () => {
  const modules = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory())
  expect([...tree.matchAll(/^src\/([a-z-]+)\//gm)]).toHaveLength(modules.length)
  expect(order.toSorted()).toEqual(modules.map(({ name }) => name).toSorted())
  const { mayImport } = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as {
    readonly mayImport: Readonly<Record<string, readonly string[]>>
  }
  const upward = Object.entries(mayImport).flatMap(([from, imported]) =>
    imported.filter((to) => order.indexOf(to) < order.indexOf(from)).map((to) => `${from} → ${to}`),
  )
  expect(upward).toEqual([])
})

test('it names each folder of a module', () => {
  const folders = order.flatMap((module) => foldersIn(`src/${module}`).map((folder) => ({ module, folder })))
  expect(folders.length).toBeGreaterThan(50)
  const isNamed = ({ module, folder }: (typeof folders)[number]): boolean =>
    new RegExp(`(^|[^a-z-])${folder.split('/').at(-1)}/`, 'm').test(
      parts.get(module)?.replace(`src/${module}/`, '') ?? '',
    )
  expect(folders.filter((each) => !isNamed(each)).map(({ folder }) => folder)).toEqual([])
})

test('each file that it names exists', () => {
  const files = globSync(['*.ts', '{src,console/src,packages/client/src,tools,test,migrations}/**/*.{ts,tsx,sql}']).map(
    (file) => `/${file}`,
  )
  const named = [...page.matchAll(/`([a-z][\w/.-]*\.(?:ts|tsx|sql))`/g), ...tree.matchAll(/\b([a-z][\w/-]*\.ts)\b/g)]
  expect(named.length).toBeGreaterThan(100)
  const isThere = (name: string): boolean => files.some((file) => file.endsWith(`/${name}`))
  expect([...new Set(named.map(([, name = '']) => name))].filter((name) => !isThere(name))).toEqual([])
})
