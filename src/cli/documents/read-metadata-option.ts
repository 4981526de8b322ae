import { InvalidArgumentError } from 'commander'
import { exactJsonOf, exactObjectOf } from '../../kernel/exact-json.ts'

export type SentMetadata = Readonly<Record<string, unknown>>

/** Always texts: a sys_id consists of digits, but is not a number (docs/spec/documents.md, section 2). */
const texts: ReadonlySet<string> = new Set(['sys_id', 'doc_id', 'status', 'type', 'title', 'created'])

/**
 * `--metadata key=value`, repeatable, or a JSON object. A value that parses as JSON has that type: `priority=1` is a number, `flag=true` a
 * boolean, `tags=["vpn","dns"]` a list; everything else is a text.
 */
export function asMetadata(text: string, before: SentMetadata = {}): SentMetadata {
  if (text.trimStart().startsWith('{')) return { ...before, ...objectOf(text) }
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('Write key=value, or a JSON object.')
  const key = text.slice(0, at)
  const value = text.slice(at + 1)
  return { ...before, [key]: texts.has(key) ? value : (exactJsonOf(value) ?? value) }
}

function objectOf(text: string): SentMetadata {
  const object = exactObjectOf(text)
  if (object === undefined) throw new InvalidArgumentError('This is not a JSON object.')
  return object
}
