export type Theme = 'light' | 'dark' | 'system'
export type Density = 'compact' | 'comfortable'

const themeKey = 'docket.theme'
const densityKey = 'docket.density'

export const currentTheme = (): Theme => (localStorage.getItem(themeKey) as Theme | null) ?? 'system'
export const currentDensity = (): Density => (localStorage.getItem(densityKey) as Density | null) ?? 'compact'

export function setTheme(theme: Theme): void {
  localStorage.setItem(themeKey, theme)
  applyTheme()
}

export function setDensity(density: Density): void {
  localStorage.setItem(densityKey, density)
  applyTheme()
}

export function applyTheme(): void {
  document.documentElement.dataset['theme'] = currentTheme()
  document.documentElement.dataset['density'] = currentDensity()
}

/** In CSS pixels. */
export const rowHeight = (): number => (currentDensity() === 'compact' ? 34 : 42)
