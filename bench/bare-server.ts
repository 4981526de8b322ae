/**
 * The baseline: Node's HTTP server, hand-written SQL, PostgreSQL's JSON text sent unchanged, without callers, rights, parameters and a
 * dictionary, and without rejections. Started by the load test with its options as the only argument.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { adoptedStatements } from './records/adopted-statements.ts'
import { bareStatements } from './records/bare-statements.ts'

export interface BareOptions {
  readonly connectionString: string
  readonly poolSize: number
  /** The beginning of links. */
  readonly linkBase: string
  /** The sequence for numbers of tasks. */
  readonly numberSequence: string
  /** sys_id of the user who writes. */
  readonly adminId: string
  /** The user to whom the rule applies, and their groups. */
  readonly agentId: string
  readonly agentGroupIds: readonly string[]
  /** sys_id of the adopted table; empty: there is none. */
  readonly ticketTableId: string
}

type Row = readonly [body: string, total?: string]
type RunStatement = (name: string, text: string, values: readonly unknown[]) => Promise<Row | undefined>

function start(options: BareOptions): void {
  const pool = new pg.Pool({
    connectionString: options.connectionString,
    max: options.poolSize,
    // As Docket's own (src/database/database.ts).
    options: '-c timezone=UTC -c datestyle=ISO -c jit=off -c random_page_cost=1.1',
  })
  const call: RunStatement = async (name, text, values) => {
    const result = await pool.query<[string, string?]>({
      name,
      text,
      values: [options.linkBase, ...values],
      rowMode: 'array',
    } as unknown as pg.QueryConfig)
    return result.rows[0]
  }
  const server = createServer((request, response) => {
    respond(request, options, call).then(
      (row) => send(response, row),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`)
        response.writeHead(500, { 'content-length': 0 }).end()
      },
    )
  })
  // Ends together with its parent process.
  process.once('disconnect', () => process.exit())
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
}

async function respond(request: IncomingMessage, options: BareOptions, call: RunStatement): Promise<Row | undefined> {
  const [, kind = '', value = ''] = (request.url ?? '').split('/')
  const { adminId, agentId, agentGroupIds, ticketTableId } = options
  switch (kind) {
    case 'read':
    case 'list':
    case 'count':
      return call(kind, bareStatements[kind], [value])
    case 'adoptedRead':
    case 'adoptedFiltered':
      return call(kind, adoptedStatements[kind], [value])
    case 'adoptedList':
      return call(kind, adoptedStatements[kind], [])
    case 'adoptedCreate': {
      const ticket = await bodyOf(request)
      const given = TICKET_COLUMNS.map((name) => ticket[name])
      return call(kind, adoptedStatements[kind], [adminId, ticketTableId, ...given])
    }
    case 'adoptedPatch': {
      const { status, title } = await bodyOf(request)
      return call(kind, adoptedStatements[kind], [adminId, ticketTableId, value, status, title])
    }
    case 'ownRead':
    case 'ownList':
      return call(kind, bareStatements[kind], [value, agentId, agentGroupIds])
    case 'create':
    case 'ownCreate': {
      const { subject, short_description, priority, assigned_user, assignment_group, caller } = await bodyOf(request)
      const given = [subject, short_description, priority, assigned_user, assignment_group, caller]
      const values = kind === 'create' ? [adminId, ...given] : [agentId, ...given, agentGroupIds]
      return call(kind, bareStatements[kind](options.numberSequence), values)
    }
    case 'patch':
    case 'ownPatch': {
      const { state, short_description } = await bodyOf(request)
      const values = [value, state, short_description]
      return call(
        kind,
        bareStatements[kind],
        kind === 'patch' ? [adminId, ...values] : [agentId, ...values, agentGroupIds],
      )
    }
    default:
      return undefined
  }
}

/** In the order of the parameters. */
const TICKET_COLUMNS = [
  'title',
  'body',
  'kind',
  'status',
  'open',
  'created_at',
  'updated_at',
  'customer_id',
  'agent_id',
  'team_id',
]

function bodyOf(request: IncomingMessage): Promise<Readonly<Record<string, string>>> {
  return new Promise((resolve, reject) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (part: string) => {
      text += part
    })
    request.on('end', () => resolve(JSON.parse(text)))
    request.on('error', reject)
  })
}

function send(response: ServerResponse, row: Row | undefined): void {
  if (row === undefined) {
    response.writeHead(404, { 'content-length': 0 }).end()
    return
  }
  const [body, total] = row
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    ...(total !== undefined && { 'x-total-count': total }),
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

const [given] = process.argv.slice(2)
if (given !== undefined) start(JSON.parse(given) as BareOptions)
