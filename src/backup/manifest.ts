import { createHmac } from 'node:crypto'
import { z } from 'zod'

const statement = z.object({ text: z.string(), needs: z.string().optional(), fallback: z.string().optional() })

/** The first frame of a backup: its description, and everything except rows and files. */
export const manifestShape = z.object({
  docketVersion: z.string(),
  /** UTC. */
  takenAt: z.string(),
  /** For example 180004. */
  postgresVersion: z.number(),
  /** The migration level: the names of the applied migrations, in order. */
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })),
  beforeRows: z.array(statement),
  afterRows: z.array(statement),
  tables: z.array(z.object({ name: z.string(), columns: z.string() })),
  sequences: z.array(z.object({ name: z.string(), lastValue: z.string(), isCalled: z.boolean() })),
  /** Adopted tables: their dictionary rows are in the backup, their own rows are not. */
  adopted: z.array(z.string()),
  /** Objects that users created in Docket's schemas and that the backup does not contain. */
  uncovered: z.array(z.string()),
  /** Identifies the key that encrypted the columns, so that another server can compare its own; null: it had no key. */
  secretKeyCheck: z.string().nullable(),
})

export type Manifest = z.infer<typeof manifestShape>

/** Depends on the key and reveals nothing about it. */
export function checkOfSecretKey(secretKey: string | undefined): string | null {
  if (secretKey === undefined) return null
  return createHmac('sha256', Buffer.from(secretKey, 'base64')).update('docket backup').digest('hex').slice(0, 16)
}
