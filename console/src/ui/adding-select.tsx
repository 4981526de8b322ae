import { type ComponentProps, useRef, useState } from 'react'
import ui from './ui.module.css'

interface AddingSelectProps
  extends Pick<ComponentProps<'select'>, 'id' | 'aria-label' | 'aria-invalid' | 'aria-describedby'> {
  /** Title of the first option, which adds nothing. */
  readonly prompt: string
  readonly options: readonly (readonly [value: string, title: string])[]
  readonly onAdd: (value: string) => void
}

/** A pointer adds the option that it chooses. By keyboard, each arrow key chooses another one: Enter or leaving the field adds it. */
export function AddingSelect({ prompt, options, onAdd, ...attributes }: AddingSelectProps) {
  const [chosen, setChosen] = useState('')
  const isByKey = useRef(false)
  const add = (value: string): void => {
    setChosen('')
    if (value !== '') onAdd(value)
  }
  return (
    <select
      {...attributes}
      className={ui.input}
      value={chosen}
      onPointerDown={() => {
        isByKey.current = false
      }}
      onKeyDown={(event) => {
        isByKey.current = true
        if (event.key !== 'Enter' || chosen === '') return
        event.preventDefault()
        add(chosen)
      }}
      onChange={(event) => (isByKey.current ? setChosen : add)(event.target.value)}
      onBlur={() => add(chosen)}
    >
      <option value="">{prompt}</option>
      {options.map(([value, title]) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </select>
  )
}
