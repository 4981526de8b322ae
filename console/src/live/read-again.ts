import type { QueryClient, QueryKey } from '@tanstack/react-query'

/** A first reading that has not ended may be older than the change: without a cancel it would count as the new one. */
export async function readAgain(client: QueryClient, queryKey: QueryKey): Promise<void> {
  await client.cancelQueries({ queryKey })
  await client.invalidateQueries({ queryKey })
}
