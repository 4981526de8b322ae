/** Joins two lines of a paragraph. A word that is divided at the end of the first one is whole again; the hyphen of a compound stays. */
export function joinLines(text: string, next: string): string {
  if (continuesWord(text, next)) {
    const isOfCompound =
      text.endsWith('-') && (hasHyphen(lastWord(text)) || hasHyphen(firstWord(next)) || isParticle(next))
    return isOfCompound ? text + next : text.slice(0, -1) + next
  }
  return continuesCompound(text, next) ? text + next : `${text} ${next}`
}

/** Whether the next line begins with the rest of a word that this one ends with. */
export const continuesWord = (text: string, next: string): boolean =>
  /\p{L}[-\u00ad\u2010]$/u.test(text) && /^\p{Ll}/u.test(next) && !afterSharedWord.has(lettersOf(next))

/** `Jean-` and `Paul`, `COVID-` and `19`, `5-` and `year`. */
const continuesCompound = (text: string, next: string): boolean =>
  (/\p{L}-$/u.test(text) && /^[\p{Lu}\d]/u.test(next)) ||
  (/\d-$/u.test(text) && /^[\p{Ll}\d]/u.test(next) && !afterSharedWord.has(lettersOf(next)))

/** `Haupt-` and `und Nebensatz`: the hyphen stands for the end of a later word. */
const afterSharedWord = new Set(['and', 'or', 'to', 'und', 'oder', 'bis', 'sowie', 'bzw', 'и', 'или'])

/** Russian writes a hyphen before these. */
const particles = new Set(['то', 'либо', 'нибудь', 'таки'])
const isParticle = (next: string): boolean => particles.has(lettersOf(next))

const lettersOf = (line: string): string => /^\p{L}+/u.exec(line)?.[0] ?? ''
const firstWord = (line: string): string => /^\S+/u.exec(line)?.[0] ?? ''
/** Without the hyphen at its end. */
const lastWord = (line: string): string => line.slice(line.lastIndexOf(' ') + 1, -1)
const hasHyphen = (word: string): boolean => /\p{L}-\p{L}/u.test(word)
