import { Fragment } from 'react'
import { markedParts, type Range } from './marked-text.ts'

/** Text with marked query words. */
export function Marked({ text, ranges }: { readonly text: string; readonly ranges: readonly Range[] }) {
  let at = 0
  return markedParts(text, ranges).map((part) => {
    const key = at
    at += part.text.length
    return part.isMarked ? <mark key={key}>{part.text}</mark> : <Fragment key={key}>{part.text}</Fragment>
  })
}
