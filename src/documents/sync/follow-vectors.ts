import type { Session } from '../../database/database.ts'
import { selectRows, selectStatement } from '../../database/select-statement.ts'
import type { VectorEngine } from '../../embeddings/vector-engine.ts'
import type { Followed } from './follow-log.ts'

const READ_POSITIONS = selectStatement<{ readonly id: number; readonly position: string }>({
  name: 'read-embedding-model-positions',
  columns: { id: 'id', position: 'position' },
  from: 'from docket_documents.embedding_model where id = any ($1::integer[])',
})

/**
 * The vectors that other processes wrote. They have sequence numbers of their own, one for each model, which one statement reads for all
 * engines.
 */
export function followedVectors(
  session: Pick<Session, 'run'>,
  openEngines: () => Promise<readonly VectorEngine[]>,
): Followed {
  let changes = 0
  return {
    position: () => changes,
    async refresh() {
      const engines = await openEngines()
      if (engines.length === 0) return
      const rows = await selectRows(session, READ_POSITIONS, [engines.map(({ modelId }) => modelId)])
      const positions = new Map(rows.map(({ id, position }) => [id, Number(position)]))
      for (const engine of engines) if (await engine.reach(positions.get(engine.modelId) ?? 0)) changes++
    },
  }
}
