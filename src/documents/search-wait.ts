/** The property `search.wait_ms`. @returns null: a search waits without a limit */
export function searchWaitMs(properties: ReadonlyMap<string, string>): number | null {
  const text = properties.get('search.wait_ms')?.trim() ?? ''
  const ms = Number(text)
  return text === '' || !Number.isFinite(ms) ? null : Math.max(0, ms)
}
