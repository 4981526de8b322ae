const key = 'docket.single-keys'

/** Whether keys without Ctrl do something. People who speak to their computer turn them off. */
export const areSingleKeysOn = (): boolean => localStorage.getItem(key) !== 'off'

export function setSingleKeys(areOn: boolean): void {
  if (areOn) localStorage.removeItem(key)
  else localStorage.setItem(key, 'off')
}
