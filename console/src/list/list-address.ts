/** Address of the page without the record beside its list: whether what ends late still concerns the list that it began in. */
export function listAddress(): string {
  const url = new URL(location.href)
  url.searchParams.delete('peek')
  return url.href
}
