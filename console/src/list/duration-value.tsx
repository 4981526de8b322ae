import { useId, useState } from 'react'
import { currentLanguage } from '../messages/i18n.ts'
import ui from '../ui/ui.module.css'
import { durationText } from './duration-text.ts'
import { readDuration } from './read-duration.ts'

interface DurationValueProps {
  readonly title: string
  /** Milliseconds; '': no duration is typed. */
  readonly value: string
  readonly onChange: (value: string) => void
}

/** 1 h 30 m */
const EXAMPLE = '5400000'

/** A duration as users type it; conditions have milliseconds. */
export function DurationValue({ title, value, onChange }: DurationValueProps) {
  const language = currentLanguage()
  const [text, setText] = useState(() => durationText(value, language))
  const example = useId()
  return (
    <>
      <input
        className={ui.input}
        aria-label={title}
        aria-invalid={(text !== '' && value === '') || undefined}
        aria-describedby={example}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          onChange(readDuration(event.target.value) ?? '')
        }}
      />
      <small id={example}>{durationText(EXAMPLE, language)}</small>
    </>
  )
}
