import { useMemo } from 'react'
import css from './form.module.css'
import { type DiffPart, wordDiff } from './word-diff.ts'

/** Of a longer unchanged part, the words beside the changes. */
const keptUnits = 120

/** Two long texts as one: what is gone is crossed out, what is new is underlined. */
export function DiffView({ from, to }: { readonly from: string; readonly to: string }) {
  const parts = useMemo(() => shortened(wordDiff(from, to)), [from, to])
  return (
    <span className={css.diff}>
      {parts.map(({ kind, text }, at) => {
        const Tag = tags[kind]
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other name, and no state
        return <Tag key={at}>{text}</Tag>
      })}
    </span>
  )
}

const tags = { same: 'span', old: 'del', new: 'ins' } as const

const shortened = (parts: readonly DiffPart[]): readonly DiffPart[] =>
  parts.map((part, at) => (part.kind === 'same' ? { ...part, text: besideChanges(part.text, at, parts.length) } : part))

function besideChanges(text: string, at: number, count: number): string {
  const units = [...text]
  const head = at === 0 ? 0 : keptUnits
  const tail = at === count - 1 ? 0 : keptUnits
  if (units.length <= head + tail) return text
  return `${units.slice(0, head).join('')}…${units.slice(units.length - tail).join('')}`
}
