import { z } from 'zod'

/** A timestamp as text (docs/spec/records.md, section 4). */
export const utcTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  .meta({ description: 'UTC, `YYYY-MM-DD HH:MM:SS`.', examples: ['2026-03-09 12:30:00'] })

/** Of a login, or of an API key. */
export const accessKey = z.string().length(64).meta({ description: '64 characters of A-Z a-z 0-9 - _; shown once.' })
