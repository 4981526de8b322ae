import { useEffect, useRef } from 'react'
import { isTyping } from '../ui/single-keys.ts'

interface ListKeys {
  readonly onFilter: () => void
  readonly onNew: () => void
  readonly onBulk: () => void
}

/** Shortcuts of one letter. They work everywhere except in a field. */
export function useListKeys(keys: ListKeys): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.code === 'KeyF') latest.current.onFilter()
      else if (event.code === 'KeyN') latest.current.onNew()
      else if (event.code === 'KeyE') latest.current.onBulk()
      else if (event.key === '/') document.getElementById('list-words')?.focus()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}
