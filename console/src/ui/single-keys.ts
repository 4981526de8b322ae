const key = 'docket.single-keys'

/** Whether keys without Ctrl are shortcuts. Users of speech input turn them off. */
export const areSingleKeysOn = (): boolean => localStorage.getItem(key) !== 'off'

export function setSingleKeys(areOn: boolean): void {
  if (areOn) localStorage.removeItem(key)
  else localStorage.setItem(key, 'off')
}

/** Whether the key belongs to a field, a dialog or a menu. */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.key.length === 1 && !areSingleKeysOn()) return true
  const target = event.target as HTMLElement | null
  return (
    target?.closest(
      'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true], [role=dialog], [role=alertdialog], [role=menu], [role=listbox]',
    ) != null
  )
}

/** Event of the window that opens the list of keys. */
export const OPEN_SHORTCUTS = 'docket-shortcuts'
