import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Category } from './words/topic.ts'

/** A knowledge article of the demo desk, as in its collection. */
export interface Article {
  /** The file's name without `.md`; it does not change with the title. */
  readonly name: string
  readonly title: string
  readonly language: 'en' | 'ru'
  readonly category: Category
  readonly status: 'published' | 'draft' | 'retired'
  /** 1 (everybody should know it) to 4. */
  readonly priority: number
  /** Markdown, from its first heading on. */
  readonly text: string
}

const builtInFolder = fileURLToPath(new URL('./articles/', import.meta.url))

/**
 * All articles, in the order of their names.
 *
 * @throws Error when the head of a file is missing or incomplete: the articles are ours, and a test reads them all
 */
export function readArticles(): readonly Article[] {
  return readdirSync(builtInFolder)
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => readArticle(file.slice(0, -'.md'.length), readFileSync(`${builtInFolder}${file}`, 'utf8')))
}

function readArticle(name: string, file: string): Article {
  const [, head, text] = /^---\n([\s\S]*?)\n---\n\n([\s\S]*)$/.exec(file) ?? []
  if (head === undefined || text === undefined) throw new Error(`the article ${name} has no head`)
  const fields = new Map(head.split('\n').map((line) => splitOnce(line)))
  const field = (key: string): string => {
    const value = fields.get(key)
    if (value === undefined) throw new Error(`the article ${name} has no ${key}`)
    return value
  }
  return {
    name,
    title: JSON.parse(field('title')) as string,
    language: field('language') as Article['language'],
    category: field('category') as Category,
    status: field('status') as Article['status'],
    priority: Number(field('priority')),
    text,
  }
}

function splitOnce(line: string): readonly [string, string] {
  const colon = line.indexOf(': ')
  return [line.slice(0, colon), line.slice(colon + 2)]
}
