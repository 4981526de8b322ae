import type { ServerProblem, ServerState } from '../database/examine-server.ts'
import { countOf } from '../kernel/count-of.ts'
import type { Examined } from './check.ts'
import type { FaultName } from './faults.ts'

const faultOf: Readonly<Record<ServerProblem, FaultName>> = {
  unreachable: 'database-unreachable',
  'login-refused': 'database-refuses-login',
  'too-old': 'postgresql-too-old',
  'not-utf8': 'database-not-utf8',
  'unfinished-restore': 'restore-unfinished',
  ahead: 'schema-ahead',
  'changed-migration': 'migration-changed',
}

/** The server of the database and its schema, as a check. */
export function reportServer(state: ServerState): Examined {
  switch (state.kind) {
    case 'current':
      return { summary: `PostgreSQL ${state.version}, schema ${state.newest}`, findings: [] }
    case 'empty':
      return { summary: `PostgreSQL ${state.version}, empty`, findings: [] }
    case 'behind': {
      const what = `The schema is ${whatWaits(state.waiting)} behind this Docket (${state.waiting[0]} is the next)`
      const cure = 'docket start: it upgrades the schema (docket backup FILE with the old version first)'
      return { summary: '', findings: [{ fault: 'schema-behind', what, where: 'docket_system.migration', cure }] }
    }
    default:
      return unusable(state.kind, state.sentence)
  }
}

const whatWaits = (waiting: readonly string[]): string =>
  waiting[0]?.startsWith('functions/') === true
    ? countOf(waiting.length, 'function', 'functions')
    : countOf(waiting.length, 'migration', 'migrations')

/** @param sentence with which a start would end: what is wrong, a colon, the cure */
export function unusable(kind: ServerProblem, sentence: string): Examined {
  const at = sentence.lastIndexOf(': ')
  const what = at === -1 ? sentence : sentence.slice(0, at)
  const cure = at === -1 ? 'see what it names' : sentence.slice(at + 2)
  const where = 'DOCKET_DATABASE_URL, or else the embedded PostgreSQL'
  return {
    summary: '',
    findings: [{ fault: faultOf[kind], what: withoutStop(what), where, cure: withoutStop(cure) }],
  }
}

const withoutStop = (sentence: string): string => sentence.replace(/\.$/, '')
