import { useEffect, useRef } from 'react'
import { isTyping } from '../ui/single-keys.ts'

export interface ListKeys {
  readonly onFilter: () => void
  readonly onNew: () => void
  readonly onBulk: () => void
  readonly onWords: () => void
}

/** @returns whether the key is one of a list */
function press(event: KeyboardEvent, keys: ListKeys): boolean {
  if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return false
  if (event.code === 'KeyF') keys.onFilter()
  else if (event.code === 'KeyN') keys.onNew()
  else if (event.code === 'KeyE') keys.onBulk()
  else if (event.key === '/') keys.onWords()
  else return false
  event.preventDefault()
  return true
}

/**
 * Shortcuts of one letter. They work everywhere except in a field.
 *
 * @param part on a page that is no list, they work in the part of it that is one; null: everywhere
 */
export function useListKeys(keys: ListKeys, part: HTMLElement | null): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const listen = (event: Event): void => {
      // The page has the same keys for other things.
      if (press(event as KeyboardEvent, latest.current) && part !== null) event.stopPropagation()
    }
    const target = part ?? globalThis
    target.addEventListener('keydown', listen)
    return () => target.removeEventListener('keydown', listen)
  }, [part])
}
