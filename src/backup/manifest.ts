import { createHmac } from 'node:crypto'
import { z } from 'zod'

const statement = z.object({ text: z.string(), needs: z.string().optional(), fallback: z.string().optional() })

/** The first frame of a backup: what it is, and all that is not rows and files. */
export const manifestShape = z.object({
  docketVersion: z.string(),
  /** UTC. */
  takenAt: z.string(),
  /** Such as 180004. */
  postgresVersion: z.number(),
  /** The migration level: those that were applied, in order. */
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })),
  beforeRows: z.array(statement),
  afterRows: z.array(statement),
  tables: z.array(z.object({ name: z.string(), columns: z.string() })),
  sequences: z.array(z.object({ name: z.string(), lastValue: z.string(), isCalled: z.boolean() })),
  /** Adopted tables: their dictionary rows are in the backup, their own rows are not. */
  adopted: z.array(z.string()),
  /** Objects that people made in Docket's schemas and that the backup does not hold. */
  uncovered: z.array(z.string()),
  /** Shows whether a server has the key that encrypted the columns; null: it had none. */
  secretKeyCheck: z.string().nullable(),
})

export type Manifest = z.infer<typeof manifestShape>

/** Changes with the key and reveals nothing of it. */
export function checkOfSecretKey(secretKey: string | undefined): string | null {
  if (secretKey === undefined) return null
  return createHmac('sha256', Buffer.from(secretKey, 'base64')).update('docket backup').digest('hex').slice(0, 16)
}
