import { BODY_DETAILS } from './russian/body-details.ts'
import { DICTIONARY_DETAILS } from './russian/dictionary-details.ts'
import { DOCTOR_DETAILS, DOCTOR_PLACES } from './russian/doctor-details.ts'
import { DOCUMENT_DETAILS } from './russian/document-details.ts'
import { QUERY_DETAILS } from './russian/query-details.ts'
import { SIGN_IN_DETAILS } from './russian/sign-in-details.ts'
import { VALUE_DETAILS } from './russian/value-details.ts'

interface Translation {
  /** The text before the first `$`: it identifies most details. */
  readonly head: string
  readonly pattern: RegExp
  readonly russian: string
}

let made: readonly Translation[] | undefined

/** Templates with more literal text are tried first: `$1 is expected` fits nearly everything. Their patterns are made for the first detail in Russian. */
function translations(): readonly Translation[] {
  made ??= [
    ...QUERY_DETAILS,
    ...VALUE_DETAILS,
    ...DICTIONARY_DETAILS,
    ...BODY_DETAILS,
    ...DOCUMENT_DETAILS,
    ...SIGN_IN_DETAILS,
    ...DOCTOR_DETAILS,
  ]
    .toSorted(([one], [other]) => literalLength(other) - literalLength(one))
    .map(([english, russian]) => ({ head: english.replace(/\$\d.*$/s, ''), pattern: patternOf(english), russian }))
  return made
}

function literalLength(english: string): number {
  return english.replaceAll(/\$\d/g, '').length
}

/** With or without a full stop: a sentence inside another one has none. */
function patternOf(english: string): RegExp {
  const parts = english
    .replace(/\.$/, '')
    .split(/\$\d/)
    .map((literal) => literal.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('([^]*?)')}\\.?$`)
}

/** Maximum nesting: a detail contains a detail that contains a value. */
const MAX_DEPTH = 3
/** In UTF-16 units. The time of a pattern grows faster than the text. */
const MAX_LENGTH = 2_000

/** Any detail, and where it is, as in the fault of a stored condition. */
const PLACED = /^(.+) \(at (\d+)\)\.?$/s

/**
 * What a problem says beyond its kind (the `detail` of a query error, of a value) in Russian. A test collects the details from the
 * sources of both services and fails on one that has no Russian words here.
 */
export function inRussian(detail: string, depth = 0): string {
  // A single word inside a detail is a name: the table `user` is not translated.
  if (depth > 0 && !detail.includes(' ')) return detail
  if (depth === MAX_DEPTH || detail.length > MAX_LENGTH) return detail
  // Before the templates: the end of each of them would take the place with it.
  const placed = PLACED.exec(detail)
  if (placed !== null) return `${inRussian(placed[1] ?? '', depth)} (позиция ${placed[2]})`
  for (const { head, pattern, russian } of translations()) {
    const found = detail.startsWith(head) ? pattern.exec(detail) : null
    if (found !== null)
      return russian.replaceAll(/\$(\d)/g, (_all, index: string) => inRussian(found[Number(index)] ?? '', depth + 1))
  }
  return detail
}

/** The place of a finding of docket doctor in Russian; its names stay as they are. */
export function placeInRussian(fault: string, place: string): string {
  const words = (DOCTOR_PLACES[fault] ?? []).reduce((text, [english, russian]) => text.replace(english, russian), place)
  return words.replace(/ and (\d+) more$/, ' и ещё $1')
}
