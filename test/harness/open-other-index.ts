import type { Database } from '../../src/database/database.ts'
import type { LexicalIndex, LexicalIndexOptions } from '../../src/documents/sync/lexical-index.ts'
import { openLexicalIndex } from '../../src/documents/sync/open-lexical-index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { startThread } from '../../src/processes/worker-thread.ts'
import type { StoredTerms } from '../../src/search-engine/segments/stored-terms.ts'

export interface OtherIndex {
  readonly index: LexicalIndex
  /** Errors of background work. */
  readonly errors: unknown[]
  /** Ends threads by name (`search`, `writer`, `build`), and resolves when the index knows it. */
  crash(...names: readonly string[]): Promise<void>
}

export interface OtherIndexOptions extends Partial<Pick<LexicalIndexOptions, 'folder' | 'segments' | 'tables'>> {
  /** Called before each call of the thread that builds, with the kind of the call and the number of its documents. */
  readonly beforeBuild?: (kind: string, documents: number) => Promise<void> | void
}

/** The index of a second process, whose threads a test can watch, pause and end. */
export function openOtherIndex(
  database: Database,
  { folder = null, segments = null, tables = null, beforeBuild = () => undefined }: OtherIndexOptions = {},
): OtherIndex {
  const errors: unknown[] = []
  const crashes = new Map<string, () => Promise<void>>()
  const index = openLexicalIndex({
    database,
    folder,
    segments,
    tables,
    clock: systemClock,
    onError: (error) => errors.push(error),
    startThread: (file, onLost, threadOptions) => {
      const lost: (() => void)[] = []
      const thread = startThread(
        file,
        () => {
          onLost?.()
          for (const resolve of lost.splice(0)) resolve()
        },
        threadOptions,
      )
      const name = file.pathname.replace(/^.*\/|-thread\.ts$/g, '')
      crashes.set(name, async () => {
        const gone = new Promise<void>((resolve) => lost.push(resolve))
        thread.end()
        await gone
      })
      if (name !== 'build') return thread
      return {
        ...thread,
        async call(kind, input) {
          await beforeBuild(kind, documentsOf(input))
          return thread.call(kind, input)
        },
      }
    },
  })
  const crash = async (...names: readonly string[]): Promise<void> => {
    await Promise.all(names.map((name) => crashes.get(name)?.()))
  }
  return { index, errors, crash }
}

/** Of a call: texts, stored terms, or one text. */
function documentsOf(input: object): number {
  if (Array.isArray(input)) return input.length
  return 'documentIds' in input ? (input as StoredTerms).documentIds.length : 1
}
