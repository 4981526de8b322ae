import { termsIn } from '../chunk/analyze.ts'

const word = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu

/**
 * Whether the words of a phrase follow each other in a text, in order and without others between them. A word may have another
 * form (`printers` for `printer`); stop words have to be the same.
 *
 * @param language of the text, as `detectLanguage` names it
 */
export function holdsPhrase(text: string, phrase: string, language: string | null): boolean {
  const wanted = formsOf(phrase, language)
  const found = formsOf(text, language)
  return found.some((_, at) => wanted.every((form, next) => isSame(form, found[at + next])))
}

interface Form {
  readonly plain: string
  readonly stem: string
}

function formsOf(text: string, language: string | null): readonly Form[] {
  return [...text.normalize('NFKC').matchAll(word)].map(([each]) => ({
    plain: each.toLowerCase().replaceAll('ё', 'е'),
    stem: termsIn(each, language ?? undefined)
      .map(({ term }) => term)
      .join(' '),
  }))
}

function isSame(one: Form, other: Form | undefined): boolean {
  if (other === undefined) return false
  return one.plain === other.plain || (one.stem !== '' && one.stem === other.stem)
}
