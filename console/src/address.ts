/** Search parameters: texts exactly as the address has them. */
export type SearchTexts = Readonly<Record<string, string | undefined>>

export const parseSearch = (search: string): SearchTexts => Object.fromEntries(new URLSearchParams(search))

export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(search).filter(([, value]) => typeof value === 'string' && value !== '')
  const text = entries.map(([name, value]) => `${name}=${encodeValue(String(value))}`).join('&')
  return text === '' ? '' : `?${text}`
}

/** Keeps the characters of encoded queries readable where an address allows them. */
const encodeValue = (value: string): string =>
  encodeURIComponent(value.toWellFormed()).replace(/%(5E|3D|2C|3A|40|28|29|2F)/g, (code) => decodeURIComponent(code))
