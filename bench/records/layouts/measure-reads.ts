import { isDeepStrictEqual } from 'node:util'
import type { PreparedStatement } from '../../../src/database/database.ts'
import { administratorId } from '../../../src/identity/administrator.ts'
import { loadPrincipal } from '../../../src/identity/load-principal.ts'
import { quantile } from '../../measure/figures.ts'
import { listShapes } from '../list-shapes.ts'
import { type BoundStatement, explain, parametersOf, statementOf } from '../list-statement.ts'
import type { Seeded } from '../seed.ts'
import { rewriteStatement } from './rewrite-statement.ts'
import type { Side } from './side.ts'

export interface MeasuredRead {
  readonly name: string
  readonly caller: string
  readonly total: string
  /** In the order of the sides. */
  readonly bySide: readonly ReadOfSide[]
}

interface ReadOfSide {
  readonly layout: string
  /** Of PostgreSQL's process, median. */
  readonly cpuMs: number
  readonly pages: number
  /** The nodes of the plan. */
  readonly plan: readonly string[]
}

const NAMES: readonly string[] = [
  'queue of a group in a state',
  'my open tasks, newest first',
  'tasks of a caller',
  'unassigned open tasks',
  'overdue open tasks',
  'active tasks with total',
  'tasks in three states with total',
  'newest first',
  'subject contains, few, Latin',
  'subject contains, few, Cyrillic',
  'subject contains, none, Cyrillic',
  'subject contains, an eighth, Cyrillic',
  'subject starts with, few',
  'number contains, few',
  'full text',
]

interface Request {
  readonly name: string
  readonly caller: { readonly name: string; readonly id: string }
  readonly parameters: Readonly<Record<string, string>>
  readonly sysId: string | null
}

/** Every read of every side, by turns. @throws Error if a layout gives other rows than the first side */
export async function measureReads(
  sides: readonly Side[],
  { seeded, rounds }: { readonly seeded: Seeded; readonly rounds: number },
): Promise<readonly MeasuredRead[]> {
  const measured: MeasuredRead[] = []
  for (const request of requestsOf(seeded)) {
    const bound = await statementsOf(sides, request)
    const results = await Promise.all(
      bound.map(({ side, statement, parameters }) => side.database.run(statement, parameters)),
    )
    for (const result of results) {
      if (!isDeepStrictEqual(result, results[0])) throw new Error(`${request.name}: another layout gives other rows`)
    }
    const cpuMs = await measureByTurns(bound, rounds)
    const bySide: ReadOfSide[] = []
    for (const [index, { side, ...each }] of bound.entries()) {
      const plan = await explain(side.database, each, 'analyze, buffers, costs off, timing off, summary off')
      bySide.push({
        layout: side.layout.title,
        cpuMs: cpuMs[index] ?? 0,
        pages: pagesOf(plan),
        plan: plan.filter((line) => line.includes('->')),
      })
    }
    measured.push({
      name: request.name,
      caller: request.caller.name,
      total: String(results[0]?.[0]?.[5] ?? ''),
      bySide,
    })
    console.log(
      request.name,
      request.caller.name,
      bySide.map((each) => `${each.cpuMs.toFixed(2)} ms, ${each.pages}`).join('; '),
    )
  }
  return measured
}

type StatementOfSide = BoundStatement & { readonly side: Side }

async function measureByTurns(bound: readonly StatementOfSide[], rounds: number): Promise<readonly number[]> {
  const all = bound.map((): number[] => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { side, statement, parameters }] of bound.entries()) {
      const before = await side.cpuUs()
      await side.database.run(statement, parameters)
      all[index]?.push(((await side.cpuUs()) - before) / 1_000)
    }
  }
  return all.map((each) => quantile(each, 0.5))
}

/** All are made from the dictionary of the first side; in layouts that cannot have them, no text has references beside it. */
async function statementsOf(sides: readonly Side[], request: Request): Promise<readonly StatementOfSide[]> {
  const [first] = sides
  if (first === undefined) throw new Error('there is no side')
  const { deps, database } = first
  const known = await deps.catalog.current()
  const task = known.tables.get('task')
  const caller = await loadPrincipal(database, request.caller.id)
  if (task === undefined || caller === undefined) throw new Error('the database is not seeded')
  await deps.samples.ready(task)
  const withoutReferences = { ...known, tables: new Map(known.tables).set('task', { ...task, textIndexes: [] }) }
  return Promise.all(
    sides.map(async (side) => {
      const { layout } = side
      const catalog = layout.queuesApart || layout.textsApart ? withoutReferences : known
      const { statement, parameters } = await statementOf(request.parameters, caller, {
        deps,
        catalog,
        sysId: request.sysId,
      })
      // The task has all columns, so a read by its key needs no other table.
      const isList = request.sysId === null
      const text = isList ? rewriteStatement(statement.text, layout) : statement.text
      const written: PreparedStatement = { ...statement, text }
      return { side, statement: written, parameters }
    }),
  )
}

/** Of the whole statement: the first line of buffers is that of the first node. */
function pagesOf(plan: readonly string[]): number {
  const line = plan.find((each) => each.includes('Buffers: shared')) ?? ''
  return [...line.matchAll(/(?:hit|read)=(\d+)/g)].reduce((sum, [, pages]) => sum + Number(pages), 0)
}

function requestsOf(seeded: Seeded): readonly Request[] {
  const shapes = listShapes({
    agentId: seeded.agentId,
    groupId: seeded.agentGroupIds[0] ?? '',
    callerId: seeded.userIds[0] ?? '',
    number: '',
    updatedAfter: '',
  })
  const lists = [
    ...shapes.filter(({ name }) => NAMES.includes(name)),
    { name: 'subject contains, some, Latin', query: 'subjectLIKEslowly 12' },
    { name: 'subject starts with two letters, none', query: 'subjectSTARTSWITHqz' },
  ]
  const callers = [
    { name: 'administrator', id: administratorId, ids: seeded.taskIds },
    { name: 'row rule', id: seeded.agentId, ids: seeded.agentTaskIds },
  ]
  return callers.flatMap((caller) => [
    { name: 'point read', caller, parameters: {}, sysId: caller.ids[0] ?? null },
    ...lists.map((shape) => ({ name: shape.name, caller, parameters: parametersOf(shape), sysId: null })),
  ])
}
