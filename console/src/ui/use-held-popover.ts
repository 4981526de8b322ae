import { useState } from 'react'
import { holdKeys, releaseKeys } from './held-keys.ts'

/**
 * A popover whose content may still be loading: what is typed until then goes into its field, and Tab does not leave it. The content calls
 * `releaseKeys` when it is there, unless it focuses a field.
 */
export function useHeldPopover() {
  const [isOpen, setOpen] = useState(false)
  const onOpenChange = (isOpening: boolean): void => {
    if (isOpening) holdKeys(() => setOpen(false))
    else releaseKeys()
    setOpen(isOpening)
  }
  return { isOpen, onOpenChange }
}
