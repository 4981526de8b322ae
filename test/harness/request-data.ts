import { admin } from './fresh-database.ts'
import { sendTo } from './send-request.ts'
import type { SpawnedDocket } from './spawn-docket.ts'

/**
 * Sends a request as the administrator, by a connection of its own: servers that are killed leave none behind.
 *
 * @returns `data` of the response
 * @throws Error if the status is not 200
 */
export async function requestData(
  { address }: SpawnedDocket,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const client = sendTo(address)
  try {
    const response = await client.send(method, path, { as: admin, ...(body !== undefined && { body }) })
    if (response.status !== 200) throw new Error(`${method} ${path}: ${response.text}`)
    return (response.body as { readonly data: unknown }).data
  } finally {
    client.close()
  }
}
