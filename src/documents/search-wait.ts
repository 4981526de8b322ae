/** The property `search.wait_ms`. @returns null: a search waits as long as it takes */
export function searchWaitMs(properties: ReadonlyMap<string, string>): number | null {
  const text = properties.get('search.wait_ms')?.trim() ?? ''
  const ms = Number(text)
  return text === '' || !Number.isFinite(ms) ? null : Math.max(0, ms)
}
