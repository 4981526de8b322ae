import { type Command, InvalidArgumentError } from 'commander'
import { type Adoption, adoptSchema } from '../adopt/adopt-schema.ts'
import type { WantedGrant } from '../adopt/grant-rights.ts'
import type { PlannedTable } from '../adopt/plan-adoption.ts'
import { asNames } from './option-values.ts'
import { valueOrFailure } from './value-or-failure.ts'
import { withDatabase } from './with-database.ts'

interface AdoptOptions {
  readonly schema: string
  readonly tables?: readonly string[]
  readonly key: ReadonlyMap<string, string>
  readonly grant: readonly WantedGrant[]
  readonly dryRun?: true
}

/** `docket adopt` */
export function registerAdoptCommand(program: Command): void {
  program
    .command('adopt')
    .description('serve tables that stand in the database already, as they are; again, to follow what changed in them')
    .requiredOption('--schema <name>', 'the schema that they stand in')
    .option('--tables <names>', 'with commas between them (default: all of the schema)', asNames)
    .option(
      '--key <view=column>',
      'the column that tells the rows of a view apart, or several with commas; may be given again',
      addKey,
      new Map(),
    )
    .option('--grant <operation:role>', 'write rules: read:itil,write:itil; may be given again', addGrants, [])
    .option('--dry-run', 'say what would be done, and do nothing')
    .action(async (options: AdoptOptions) => {
      const { schema, tables = null, key: keys, grant: grants, dryRun = false } = options
      const wanted = { schema, tables, keys, grants, isDryRun: dryRun }
      const adoption = await withDatabase(async (database) => valueOrFailure(await adoptSchema(database, wanted)))
      for (const line of linesOf(adoption, options)) console.log(line)
    })
}

function addKey(text: string, earlier: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const at = text.indexOf('=')
  if (at < 1 || at === text.length - 1) throw new InvalidArgumentError('Write view=column.')
  return new Map([...earlier, [text.slice(0, at), text.slice(at + 1)]])
}

const OPERATIONS: ReadonlySet<string> = new Set(['create', 'read', 'write', 'delete'])

function addGrants(text: string, earlier: readonly WantedGrant[]): readonly WantedGrant[] {
  const grants = asNames(text).map((part): WantedGrant => {
    const [operation = '', role = ''] = part.split(':')
    if (!OPERATIONS.has(operation) || role === '') {
      throw new InvalidArgumentError('Write operation:role, with create, read, write or delete: read:itil.')
    }
    return { operation: operation as WantedGrant['operation'], role }
  })
  return [...earlier, ...grants]
}

function linesOf(adoption: Adoption, { schema, grant, dryRun }: AdoptOptions): readonly string[] {
  const { tables, gone, rejected, rules } = adoption
  const changed = tables.flatMap((table) => tableLines(table, schema))
  return [
    ...changed,
    ...gone.map(
      ({ storage, name, id }) =>
        `- ${schema}.${storage} is not there any more; to forget ${name}, delete its row of sys_db_table (${id})`,
    ),
    ...rejected.map(({ table, why }) => `! ${schema}.${table} is not adopted: ${why}`),
    changed.length === 0
      ? 'Nothing has changed.'
      : dryRun === true
        ? 'This was a dry run: nothing was written.'
        : 'Done; served from now on.',
    ...(rules > 0 ? [`Wrote ${rules} ${rules === 1 ? 'rule' : 'rules'}.`] : []),
    ...(grant.length === 0 && tables.some(({ before }) => before === null)
      ? [
          `Only administrators see new tables until rules say more: docket adopt --schema ${schema} --grant read:ROLE, or rows of sys_security_acl.`,
        ]
      : []),
  ]
}

function tableLines(table: PlannedTable, schema: string): readonly string[] {
  const { name, described, before, columns, dropped, notes } = table
  if (before === null) {
    const how = described.isReadOnly ? ', read-only' : ''
    return [
      `+ ${name} (${schema}.${described.storage}): ${columns.length} ${columns.length === 1 ? 'column' : 'columns'}${how}`,
      ...notes.map((note) => `    ${note}`),
    ]
  }
  return [
    ...(before.isReadOnly === described.isReadOnly
      ? []
      : [`~ ${name}: ${described.isReadOnly ? 'is read-only now' : 'may be written now'}`]),
    ...columns.filter((column) => column.before === null).map((column) => `+ ${name}.${column.name}: ${column.type}`),
    ...columns.flatMap((column) => column.changes.map((change) => `~ ${name}.${column.name}: ${change}`)),
    ...dropped.map((column) => `- ${name}.${column.name}`),
  ]
}
