import type { Flag, FlagKind } from '../extraction/extracted-text.ts'

/** Flags that say that something of a document may be lost or misread; other flags are about invisible characters. */
const warningKinds: ReadonlySet<FlagKind> = new Set<FlagKind>([
  'little-text',
  'pages-without-text',
  'hidden-text',
  'attachments-not-read',
  'undecodable',
  'smuggled-characters',
  'encoding-guessed',
])

/** For these flags nothing was removed from the text. */
const onlyWarnings: ReadonlySet<FlagKind> = new Set<FlagKind>(['little-text', 'encoding-guessed'])

/** Limit for named details: a scan among other pages may have thousands. */
const maxDetails = 100

/**
 * Warnings of a document as responses contain them: `little-text`, `pages-without-text: [3,7]`, `encoding-guessed:
 * windows-1250`.
 */
export function warningsOf(flags: readonly Flag[]): readonly string[] {
  return flags.filter(({ kind }) => warningKinds.has(kind)).map(wordsOf)
}

/** What was removed from a document's text. */
export function removalsOf(flags: readonly Flag[]): readonly { readonly kind: string; readonly count: number }[] {
  return flags.filter(({ kind }) => !onlyWarnings.has(kind)).map(({ kind, count }) => ({ kind, count }))
}

function wordsOf({ kind, details = [] }: Flag): string {
  if (details.length === 0) return kind
  if (kind === 'encoding-guessed') return `${kind}: ${details.join(', ')}`
  const named = details.slice(0, maxDetails).map((detail) => JSON.stringify(detail))
  return `${kind}: [${named.join(',')}${details.length > maxDetails ? ',…' : ''}]`
}
