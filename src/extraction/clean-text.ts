/**
 * Removes from a text what a reader does not see: control and zero-width characters, marks that change the writing direction,
 * tags that can carry a hidden text. Language models read chunks, and a text that only they see is an attack. Also converts
 * line ends to `\n` and the text to NFC, and makes the string well-formed.
 */
import type { Flag, FlagKind } from './extracted-text.ts'

export interface CleanText {
  readonly text: string
  /** What was removed; soft hyphens and a byte order mark at the start are ordinary and not counted. */
  readonly flags: readonly Flag[]
}

export function cleanText(raw: string): CleanText {
  if (onlyPlain.test(raw)) return { text: raw, flags: [] }
  const counts = new Map<FlagKind, number>()
  let text = lineEnds(withoutLoneSurrogates(raw, counts)).replace(/^\ufeff/, '')
  for (const { pattern, kind, replacement } of removals) {
    text = text.replace(pattern, () => {
      if (kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1)
      return replacement
    })
  }
  return { text: text.normalize('NFC'), flags: [...counts].map(([kind, count]) => ({ kind, count })) }
}

/**
 * Visible characters that do not combine and are in NFC next to any other: the most common case by far. ASCII, Latin, Greek and
 * Cyrillic letters, common punctuation, currency, arrows, Han, Kana and Hangul.
 */
const onlyPlain =
  /^[\t\n -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0373\u0375-\u037d\u037f-\u0386\u0388-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2100-\u2125\u2127-\u2129\u212c-\u2328\u232b-\u2adb\u3000-\u3029\u3030-\u3098\u309d-\u3163\u3165-\u9fff\uac00-\ud7a3]*$/

function withoutLoneSurrogates(raw: string, counts: Map<FlagKind, number>): string {
  if (raw.isWellFormed()) return raw
  counts.set('undecodable', raw.match(/\p{Surrogate}/gu)?.length ?? 0)
  return raw.toWellFormed()
}

function lineEnds(text: string): string {
  return text.replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n')
}

interface Removal {
  readonly pattern: RegExp
  readonly kind?: FlagKind
  readonly replacement: string
}

const removals: readonly Removal[] = [
  // Terminal colours as a whole, so that `[31m` is not left over.
  { pattern: /\u001b\[[0-9;:?]*[A-Za-z]/g, kind: 'control-characters', replacement: '' },
  {
    pattern: /[\0-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufdd0-\ufdef\ufffe\uffff]/g,
    kind: 'control-characters',
    replacement: '',
  },
  { pattern: /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, kind: 'bidi-controls', replacement: '' },
  // One variation selector after a character is normal for emoji and Han; more of them carry bytes.
  {
    pattern: /[\u{e0000}-\u{e0fff}]|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]|(?<=^|\s)[\ufe00-\ufe0f]/gu,
    kind: 'smuggled-characters',
    replacement: '',
  },
  { pattern: /\u00ad/g, replacement: '' },
  // Joiners belong to emoji and to scripts with joined letters; elsewhere they are invisible.
  {
    pattern:
      /(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f|\p{M}|\p{Script=Arabic}|\p{Script=Syriac}|\p{Script=Devanagari}|\p{Script=Bengali}|\p{Script=Malayalam}|\p{Script=Sinhala}|\p{Script=Tamil}|\p{Script=Telugu}|\p{Script=Kannada}|\p{Script=Gujarati}|\p{Script=Khmer}|\p{Script=Mongolian})[\u200c\u200d]+/gu,
    kind: 'invisible-characters',
    replacement: '',
  },
  {
    pattern: /[\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff0-\ufffc]/g,
    kind: 'invisible-characters',
    replacement: '',
  },
  // Characters of the Symbol and Wingdings fonts, which have no Unicode code point: nearly always bullets.
  { pattern: /[\uf020-\uf0ff]/g, replacement: '•' },
]
