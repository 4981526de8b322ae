import { randomKey, Unauthenticated } from 'docket-client'
import { docket } from '../docket.ts'
import { t } from '../messages/i18n.ts'
import { messageOf } from '../ui/states.tsx'

const forms = docket.table('sys_ui_form')
const sections = docket.table('sys_ui_form_section')
const relatedLists = docket.table('sys_ui_related_list')

/** Title of the view that lists take their columns from. */
const viewTitle = 'list'

/**
 * Makes the columns those of the list of a table, for everybody who has no own ones.
 *
 * The rows of a view are written by several requests, so the new view is complete before it counts: it is made inactive, then activated
 * behind the old one, which is older and wins, and the DELETE of the old one makes it count. A failure before that changes nothing for
 * anybody.
 */
export async function saveColumnsForAll(table: string, paths: readonly string[]): Promise<void> {
  const before = await sharedViews(table)
  const id = await createView(table, paths, before[0])
  try {
    await forms.update(id, { active: true }, { ifMatch: false })
    // One request cannot delete several views. The one that counts is the last.
    for (const each of before.toReversed()) await forms.delete(each)
  } catch (problem) {
    // The response can be lost after the new view counts.
    const [first] = await sharedViews(table).catch((failure: unknown): never => {
      throw failure instanceof Unauthenticated ? failure : new OutcomeUnknown(problem)
    })
    if (first === before[0]) {
      await discard(id)
      throw problem
    }
  }
  const [first] = await sharedViews(table)
  if (first === id) return
  await discard(id)
  throw new SavedMeanwhile()
}

/** The connection was lost when the new view was about to count. */
export class OutcomeUnknown extends Error {
  constructor(cause: unknown) {
    super(messageOf(cause), { cause })
  }
}

/** Another administrator was faster. */
export class SavedMeanwhile extends Error {
  constructor() {
    super(t('forAll.meanwhile'))
  }
}

/** Ids of the views that count for everybody, the one that wins first. */
async function sharedViews(table: string): Promise<readonly string[]> {
  const query = `title=${viewTitle}^table_id.name=${table}^user_idISEMPTY^active=true^ORDERBYsys_id`
  const rows = await forms.list(query, { fields: ['sys_id'], display: 'all' }).toArray({ max: 100 })
  return rows.map((row) => String(row['sys_id']?.value))
}

/** @param old the view that it replaces: its related lists, which forms display, are kept */
async function createView(table: string, paths: readonly string[], old: string | undefined): Promise<string> {
  const body = { title: viewTitle, table_id: { find: { name: table } }, active: false }
  const id = idOf((await forms.create(body, { fields: ['sys_id'], display: 'all' })).row)
  try {
    const section = await sections.create({ form_id: id }, { fields: ['sys_id'], display: 'all' })
    await createElements(idOf(section.row), paths)
    if (old !== undefined) await copyRelatedLists(old, id)
    return id
  } catch (problem) {
    await discard(id)
    throw problem
  }
}

interface ImportReport {
  readonly errors: readonly { readonly message: string }[]
}

async function createElements(section: string, paths: readonly string[]): Promise<void> {
  const lines = paths.map((path, at) => ({ section_id: section, column_name: path, order: (at + 1) * 100 }))
  const { errors } = await docket.request<ImportReport>({
    method: 'POST',
    path: '/rest/v1/import/sys_ui_form_element',
    body: lines.map((line) => JSON.stringify(line)).join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
    idempotencyKey: randomKey(),
  })
  const [first] = errors
  if (first !== undefined) throw new Error(first.message)
}

async function copyRelatedLists(from: string, to: string): Promise<void> {
  const fields = ['table_id', 'column_name', 'title', 'order']
  for (const row of await relatedLists.list(`form_id=${from}`, { fields, display: 'all' }).toArray({ max: 100 })) {
    const values = fields.map((name) => [name, row[name]?.value] as const)
    await relatedLists.create({ ...Object.fromEntries(values), form_id: to })
  }
}

/** An inactive or hidden view that stays changes nothing for anybody. */
const discard = (id: string): Promise<void> => forms.delete(id).catch(() => undefined)

const idOf = (row: Readonly<Record<string, { readonly value: unknown } | undefined>>): string =>
  String(row['sys_id']?.value)
