import { sql } from '../../kernel/sql.ts'
import type { Check, DatabaseGround, Finding } from '../check.ts'

/** Without trigrams of all alphabets, conditions on parts of texts read every row. */
export const checkTrigrams: Check<DatabaseGround> = {
  name: 'trigrams',
  async run({ database }) {
    const [extension] = await database.rows(sql<{ schema: string }>`
      select n.nspname as schema from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm'`)
    if (extension === undefined) return { summary: 'none', findings: [missing] }
    const [cut] = await database.rows(sql<{ count: number }>`
      select cardinality(${sql.id(extension.schema, 'show_trgm')}('ж')) as count`)
    if (cut?.count === 0) return { summary: 'of Latin texts only', findings: [withoutLetters] }
    return { summary: 'of all alphabets', findings: [] }
  },
}

const missing: Finding = {
  fault: 'trigrams-missing',
  what: 'The database has no extension pg_trgm, so that conditions on parts of texts read all rows',
  where: 'the database',
  cure: 'run CREATE EXTENSION pg_trgm in it as its owner, and start Docket again',
}

const withoutLetters: Finding = {
  fault: 'trigrams-without-letters',
  what: 'The database has the character type C, so that conditions on parts of texts that are not Latin read all rows',
  where: 'the database',
  cure: `restore a backup into a database that was created with LC_CTYPE 'C.UTF-8'; an embedded one is moved by the next start`,
}
