import type { QueryClient } from '@tanstack/react-query'
import { outdate } from './table-refresh.ts'

/** What displays records is read again after some were written. */
export function outdateRecords(client: QueryClient): void {
  for (const key of ['rows', 'total', 'groups', 'queue']) void outdate(client, { queryKey: [key] })
}
