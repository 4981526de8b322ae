import type { Database } from '../../database/database.ts'
import { verifySource } from '../../documents/maintenance/verify-source.ts'
import { countOf } from '../../kernel/count-of.ts'
import { sql } from '../../kernel/sql.ts'
import { type Check, type DatabaseGround, type Finding, listNames } from '../check.ts'

/** Documents that are not whole, loads that failed, collections that follow no more. */
export const checkDocuments: Check<DatabaseGround> = {
  name: 'documents',
  async run({ database }) {
    const { documents, chunks, differences } = await verifySource(database)
    const findings: Finding[] = []
    if (differences.length > 0) {
      const names = differences.map(({ collectionName, docId, documentId }) =>
        docId === null ? `chunks of number ${documentId}` : `${collectionName}: ${docId}`,
      )
      findings.push({
        fault: 'document-incomplete',
        what: countOf(names.length, 'document is not whole in the database', 'documents are not whole in the database'),
        where: listNames(names),
        cure: 'load them again: docket documents load, or the request that loaded them',
      })
    }
    const failed = await readFailedLoads(database)
    if (failed.length > 0) findings.push(failedLoads(failed))
    const stopped = await readFailedFollows(database)
    if (stopped.length > 0) findings.push(failedFollows(stopped))
    return { summary: `${documents} documents, ${chunks} chunks`, findings }
  },
}

interface Named {
  readonly name: string
}

/** Of the last week; those of which nothing newer was loaded. */
function readFailedLoads(database: Database): Promise<readonly Named[]> {
  return database.rows(sql<Named>`
    select c.name || ': ' || l.doc_id as name
    from (select distinct on (collection_id, doc_id) * from docket_documents.load order by collection_id, doc_id, id desc) l
    join docket_documents.collection c on c.id = l.collection_id and c.removed_position is null
    where l.state = 'failed' order by l.id`)
}

const failedLoads = (failed: readonly Named[]): Finding => ({
  fault: 'load-failed',
  what: countOf(failed.length, 'load of documents failed', 'loads of documents failed'),
  where: listNames(failed.map(({ name }) => name)),
  cure: 'ask why with GET /get_document_status?collection_name=…&doc_id=…, correct the file, and load it again',
})

function readFailedFollows(database: Database): Promise<readonly Named[]> {
  return database.rows(sql<Named>`
    select c.name || ' (' || f.error || ')' as name
    from docket_documents.follow f join docket_documents.collection c on c.id = f.collection_id
    where f.error is not null and c.removed_position is null order by c.name`)
}

const failedFollows = (stopped: readonly Named[]): Finding => ({
  fault: 'follow-failed',
  what: countOf(
    stopped.length,
    'followed collection does not hold what its table says',
    'followed collections do not hold what their tables say',
  ),
  where: listNames(stopped.map(({ name }) => name)),
  cure: 'correct the named records or the settings (PUT /collections/{name}/follow); the next comparison clears it',
})
