import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadPrincipal } from '../../../src/identity/load-principal.ts'
import { sql } from '../../../src/kernel/sql.ts'
import { createRecordDeps } from '../../../src/records/record-deps.ts'
import { readableRecords } from '../../../src/records/rights/readable-records.ts'
import { rule, type Stage, setStage } from './fixture.ts'

let stage: Stage
beforeAll(async () => {
  stage = await setStage()
})
afterAll(() => stage.close())

async function readableTo(userId: string, table: string): Promise<readonly string[]> {
  const { database } = stage.docket
  const loaded = await loadPrincipal(database, userId)
  if (loaded === undefined) throw new Error(`no user ${userId}`)
  const mayRead = await readable(loaded.principal, table)
  const rows = await database.rows<{ id: string }>(
    sql`select t.sys_id::text as id from docket.task t where ${mayRead(sql`t.sys_id::text`)} order by t.sys_id`,
  )
  return rows.map(({ id }) => id)
}
const readable = (...requested: Parameters<ReturnType<typeof readableRecords>>) => readableRecords(deps())(...requested)
let made: ReturnType<typeof createRecordDeps> | undefined
const deps = () => {
  made ??= createRecordDeps({ database: stage.docket.database, clock: { nowMs: () => 0 } })
  return made
}

test('another room sees the records that a list shows, as values of one caller', async () => {
  expect(await readableTo('202', 'task')).toEqual(['1001', '1002'])
  expect(await readableTo('201', 'itsm_problem')).toEqual(['1008'])
  expect(await readableTo('203', 'task')).toEqual([])
  expect(await readableTo('201', 'no_such_table')).toEqual([])
})

test('a rule that changes now counts for the next question', async () => {
  await stage.run(
    sql`update docket.sys_security_acl set active = false where table_name = 'task' and operation = 'read' and condition is not null`,
  )
  expect(await readableTo('202', 'task')).toEqual([])
  await stage.run(rule({ operation: 'read', table: 'task', roles: ['user'], condition: 'priority=1' }))
  expect(await readableTo('202', 'task')).toEqual(['1001'])
})
