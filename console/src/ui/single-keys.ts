const key = 'docket.single-keys'

/** Whether keys without Ctrl are shortcuts. Users of speech input turn them off. */
export const areSingleKeysOn = (): boolean => localStorage.getItem(key) !== 'off'

export function setSingleKeys(areOn: boolean): void {
  if (areOn) localStorage.removeItem(key)
  else localStorage.setItem(key, 'off')
}
