import type { Face } from '../../catalog/vocabulary.ts'
import { sql } from '../../kernel/sql.ts'
import { StartFailure } from '../../kernel/start-failure.ts'
import { unresolvedEntries } from '../../now/check-vocabulary.ts'
import { serviceNowFace } from '../../now/map-names.ts'
import type { RecordDeps } from '../../records/record-deps.ts'

/** @throws StartFailure if the vocabulary does not fit the dictionary */
export async function loadServiceNowNames({ database, catalog: source }: RecordDeps): Promise<Face> {
  const [served] = await database.rows<{ readonly prefix: string }>(sql`select prefix from docket_system.served_id`)
  if (served === undefined) throw new Error('docket_system.served_id is empty: the migrations did not run to their end')
  const face = serviceNowFace(served.prefix)
  const catalog = await source.current()
  const unresolved = unresolvedEntries(face.namesIn(catalog), catalog)
  if (unresolved.length === 0) return face
  throw new StartFailure(
    `The ServiceNow API names what the dictionary does not have: ${unresolved.join(', ')}. Restore it, or set DOCKET_SERVICENOW=off.`,
  )
}
