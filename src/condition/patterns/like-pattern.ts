/** Operators that search for a text inside, at the beginning or at the end of a value. */
export type TextPosition = 'inside' | 'start' | 'end'

/** A pattern of PostgreSQL's LIKE in which every character of the text is literal. */
export function likePattern(text: string, position: TextPosition): string {
  const literal = text.replaceAll(/[\\%_]/g, '\\$&')
  return `${position === 'start' ? '' : '%'}${literal}${position === 'end' ? '' : '%'}`
}
