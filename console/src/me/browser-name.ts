const BROWSERS: readonly (readonly [sign: RegExp, name: string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bYaBrowser\//, 'Yandex Browser'],
  [/\bFirefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const SYSTEMS: readonly (readonly [sign: RegExp, name: string])[] = [
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

/** The browser's usual name, from its `User-Agent`. Other programs keep the name that they send. */
export function browserName(userAgent: string): string {
  const nameIn = (known: typeof BROWSERS): string | undefined => known.find(([sign]) => sign.test(userAgent))?.[1]
  const found = [nameIn(BROWSERS), nameIn(SYSTEMS)].filter((name) => name !== undefined)
  return found.length === 0 ? userAgent.slice(0, 60) : found.join(', ')
}
