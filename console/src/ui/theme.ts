import { createListeners } from '../listeners.ts'

export type Theme = 'light' | 'dark' | 'system'
export type Density = 'compact' | 'comfortable'

/** The user's look of the console. The server stores it (use-look.ts); this browser has a copy for the next start. */
export interface Look {
  readonly theme: Theme
  readonly density: Density
}

const lookKey = 'docket.look'
const usual: Look = { theme: 'system', density: 'compact' }
const listeners = createListeners()
let current = readLook(localStorage.getItem(lookKey))

function readLook(text: string | null): Look {
  try {
    return lookOf(JSON.parse(text ?? '{}'))
  } catch {
    return usual
  }
}

/** Reads a stored look, which another version may have written: unknown values become the defaults. */
export function lookOf(stored: unknown): Look {
  const { theme, density } = (stored ?? {}) as Partial<Record<keyof Look, unknown>>
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : usual.theme,
    density: density === 'comfortable' ? density : usual.density,
  }
}

export const currentLook = (): Look => current

export function setLook(look: Look): void {
  if (look.theme === current.theme && look.density === current.density) return
  current = look
  localStorage.setItem(lookKey, JSON.stringify(look))
  applyLook()
  listeners.notify()
}

/** Whether this browser has a copy of the look. */
export const hasStoredLook = (): boolean => localStorage.getItem(lookKey) !== null

/** Removes the copy, because the next user has another look. */
export const forgetLook = (): void => localStorage.removeItem(lookKey)

export const onLook = listeners.subscribe

export function applyLook(): void {
  if (import.meta.env.SSR) return
  document.documentElement.dataset['theme'] = current.theme
  document.documentElement.dataset['density'] = current.density
}
