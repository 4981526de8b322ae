import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

/** Comments and pages cite sections of docs/spec/, pages of docs/decisions/ and other files. Everything that is cited exists. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8')
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /^(src|test|docs|bench|tools|migrations\/functions|examples)\/|^[A-Z]+\.md$/.test(file))
  .filter((file) => /\.(ts|js|md|sql|py|cs)$/.test(file) && existsSync(join(root, file)))

interface Citation {
  readonly file: string
  readonly page: string
  readonly section: number
}

/** `docs/spec/records.md, section 6`, in comments also across a line break; `[records](spec/records.md), section 6` on pages. */
function citationsOf(file: string): readonly Citation[] {
  const text = textOf(file).replaceAll(/\n\s*(?:\*|\/\/|--)\s/g, ' ')
  return [...text.matchAll(/\b(\w+)\.md\)?,\s+section\s+(\d+)/g)].map(([, page = '', section]) => ({
    file,
    page: `docs/spec/${page}.md`,
    section: Number(section),
  }))
}

const citations = files.flatMap(citationsOf)
const sectionsOf = (page: string): readonly number[] =>
  existsSync(join(root, page)) ? [...textOf(page).matchAll(/^## (\d+)\. /gm)].map(([, section]) => Number(section)) : []

describe('docs/spec (issue 9)', () => {
  test.each(['docs/spec/records.md', 'docs/spec/documents.md'])('%s numbers its sections without gaps', (page) => {
    const sections = sectionsOf(page)
    expect(sections.length).toBeGreaterThan(5)
    expect(sections).toEqual(sections.map((_, at) => at + 1))
  })

  test('has every section that a comment or a page cites', () => {
    expect(citations.length).toBeGreaterThan(100)
    expect(citations.filter(({ page, section }) => !sectionsOf(page).includes(section))).toEqual([])
  })

  test('is what comments cite: none cites a document that is not part of the project', () => {
    const foreign = /\b(records?|documents?) (spec|contract)\b/i
    const own = 'test/docs/citations.test.ts'
    expect(files.filter((file) => file !== own && foreign.test(textOf(file)))).toEqual([])
  })
})

describe('decisions', () => {
  const pages = readdirSync(join(root, 'docs/decisions'))

  test('have every page that is cited', () => {
    const cited = files.flatMap((file) =>
      [...textOf(file).matchAll(/\bdocs\/decisions\/([\w-]+)/g)].map(([, name = '']) => ({ file, name })),
    )
    const exists = (name: string): boolean =>
      pages.some((page) => page.startsWith(/^\d+$/.test(name) ? `${name}-` : name))
    expect(cited.length).toBeGreaterThan(20)
    expect(cited.filter(({ name }) => !exists(name))).toEqual([])
  })
})

describe('links', () => {
  const pages = files.filter((file) => file.endsWith('.md') && !file.startsWith('src/') && !file.startsWith('test/'))

  test.each(pages)('%s links to files and headings that exist', (page) => {
    const links = [...textOf(page).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, link = '']) => link)
    expect(links.filter((link) => !leadsSomewhere(page, link))).toEqual([])
  })
})

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', heading] = link.split('#')
  const target = path === '' ? join(root, page) : resolve(root, dirname(page), path)
  if (!existsSync(target)) return false
  return heading === undefined || anchorsOf(readFileSync(target, 'utf8')).includes(heading)
}

/** As GitHub makes them. */
const anchorsOf = (markdown: string): readonly string[] =>
  [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
