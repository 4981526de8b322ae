import type { Problem } from '../kernel/problem.ts'
import type { Result } from '../kernel/result.ts'
import type { Answer, Asked } from '../records/asked.ts'

type Question = Pick<Asked, 'operation' | 'table' | 'sysId' | 'parameters' | 'options' | 'body' | 'once' | 'migrating'>

/** Asks the record service as the caller; each question is a statement and a transaction of its own. */
export type AskRecords = (question: Question) => Promise<Result<Answer, Problem>>
