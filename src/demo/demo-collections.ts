import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readArticles } from './read-articles.ts'

/** A collection of the demo desk, as values that the caller passes to the document service. */
export interface DemoCollection {
  readonly name: string
  readonly texts: readonly DemoText[]
}

interface DemoText {
  readonly metadata: Readonly<Record<string, string | number>>
  /** Markdown. */
  readonly text: string
}

/** The documents of the first start: the desk's knowledge articles, and the pages about Docket itself. */
export function demoCollections(): readonly DemoCollection[] {
  return [
    { name: 'knowledge', texts: articleTexts() },
    { name: 'docket-docs', texts: projectTexts() },
  ].filter(({ texts }) => texts.length > 0)
}

function articleTexts(): readonly DemoText[] {
  return readArticles().map(({ name, title, category, status, priority, text }) => ({
    metadata: { doc_id: name, title, type: 'article', category, status, priority },
    text,
  }))
}

const root = fileURLToPath(new URL('../../', import.meta.url))
const folders = ['', 'docs', join('docs', 'spec'), join('docs', 'decisions')]

/** A copy of Docket without its pages has no collection of them. */
function projectTexts(): readonly DemoText[] {
  return folders.flatMap((folder) =>
    (existsSync(join(root, folder)) ? readdirSync(join(root, folder)) : [])
      .filter((file) => file.endsWith('.md'))
      .sort()
      .map((file) => ({
        metadata: { doc_id: join(folder, file), type: 'documentation', status: 'published' },
        text: readFileSync(join(root, folder, file), 'utf8'),
      })),
  )
}
